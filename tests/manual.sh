# The manual names every command and every option that the command knows.
passed=0 failed=0
manual=$abs_srcdir/doc/kgrad.1
commands=$("$KGRAD" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
test -n "$commands" || { echo "FAIL: kgrad help lists no command"; failed=1; }
for command in $commands; do
    if grep -q "^\.\(It \)*Cm $command\>" "$manual" || test "$command" = help; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: doc/kgrad.1 does not describe the command $command"
    fi
    test "$command" != help || continue
    for option in $("$KGRAD" "$command" --help | sed -n 's/^  .\{4\}--\([a-z-]*\).*/\1/p'); do
        if grep -q -- "Fl -$option\>" "$manual"; then passed=$((passed + 1)); else
            failed=$((failed + 1))
            echo "FAIL: doc/kgrad.1 does not name --$option of kgrad $command"
        fi
    done
done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
