# Completions know every command, every option and every choice that the command knows. bash is asked; of the others the files are
# read, and by their shells where they are there.
passed=0 failed=0
files=$abs_builddir/completions
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL: $*"; }

completes() { # what is wanted, then the words, of which the last is being typed
    want=$1
    shift
    if bash -c '. "$0"; want=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kgrad; printf "%s\n" "${COMPREPLY[@]}" | grep -qxe "$want"' \
        "$files/kgrad" "$want" "$@"; then ok; else bad "bash does not complete $* to $want"; fi
}
# What fish and zsh are told of a command's option.
told() { # command, option
    if grep -q -e "from $1' -l $2\>" "$files/kgrad.fish"; then ok; else bad "fish is not told of --$2 of $1"; fi
    if sed -n "/^$1) _arguments/,/;;/p" "$files/_kgrad" | grep -q -e "'\*--$2\["; then ok; else bad "zsh is not told of --$2 of $1"; fi
}

commands=$("$KGRAD" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
test -n "$commands" || bad "kgrad help lists no command"
for command in $commands; do
    completes "$command" kgrad "$(echo "$command" | cut -c1-2)"
    completes "$command" kgrad help ""
    test "$command" != help || continue
    for option in $("$KGRAD" "$command" --help | sed -n 's/^  .\{4\}--\([a-z-]*\).*/\1/p'); do
        completes "--$option" kgrad "$command" --
        completes "--$option" kgrad "$command" file.kg "--$(echo "$option" | cut -c1)"
        told "$command" "$option"
    done
done
completes spvasm kgrad show --as spv
completes exit kgrad help e
if bash -c '. "$0"; COMP_WORDS=(kgrad run a); COMP_CWORD=2; _kgrad; test ${#COMPREPLY[@]} = 0' "$files/kgrad"; then ok; else
    bad "bash completes a file's name to something else"
fi
if ! command -v zsh >/dev/null || zsh -n "$files/_kgrad"; then ok; else bad "zsh cannot read _kgrad"; fi
if ! command -v fish >/dev/null || fish -n "$files/kgrad.fish"; then ok; else bad "fish cannot read kgrad.fish"; fi
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
