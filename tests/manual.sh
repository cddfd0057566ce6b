# The manual names every command and every option that the command knows; the ABI's page every key of the .json.
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
keys=$(grep -o 'key[_a-z]*(w, "[a-z_]*"' "$abs_srcdir/spirv/emit/describe.c" | sed 's/.*"\(.*\)"/\1/' | sort -u)
test -n "$keys" || { echo "FAIL: no key is written"; failed=1; }
for key in $keys; do
    if grep -q "\"$key\"" "$abs_srcdir/doc/abi.md"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: doc/abi.md does not name the key $key"
    fi
done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
