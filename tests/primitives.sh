# Every primitive: its gradient held against the duals on each device.
#
# tests/primitives/gradients/FAMILY.txt has a line for each case: a name, parameters of the primitive (- for its defaults), options of
# `kgrad verify`. Sizes are no multiples of the workgroup, and shorter than it. "NAME none WHY" is a primitive without a gradient.
passed=0 failed=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
try() { # what, then the command
    what=$1
    shift
    if "$@" >"$tmp/out" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: $what"
        sed 's/^/    /' "$tmp/out"
    fi
}
device=reference
test "$DEVICE_TESTS" = no || device=vulkan # `verify` judges the reference besides

build() { # name, params
    test "$2" = - && set -- "$1" ''
    "$KGRAD" prim "$1" $(echo "${2:+,$2}" | sed 's/,/ --param /g') -o "$tmp/$1.kg"
}

# Proved, and not zero.
proves() {
    compiled "$KGRAD" verify "$@" >"$tmp/verdict" 2>&1 && test "$(tail -n 1 "$tmp/verdict")" = passed && return
    cat "$tmp/verdict"
    return 1
}

verified() { # name, params, options
    build "$1" "$2" || return 1
    kernel=$tmp/$1.kg
    shift 2
    proves "$kernel" --device $on "$@" || return 1
    case " $* " in *" --mode "*) return ;; esac # tangents add to nothing
    proves "$kernel" --device $on --accumulate "$@"
}

# Nothing flows: the command says so.
refused() { # name
    build "$1" - && ! "$KGRAD" grad "$tmp/$1.kg" >"$tmp/verdict" 2>&1
}

# Sanitizers make everything slow, and a Vulkan device most of all: one case in eight is taken then, and one of eight of these there.
case $KG_TEST_CFLAGS in *-fsanitize*) every=8 each=8 ;; *) every=1 each=1 ;; esac
# Of seven cases in eight that device compiles without optimising, in less time: its own passes are no part of kgrad.
compiled() {
    test $((asked % 8)) = 0 || set -- env GALLIVM_PERF=nopt "$@"
    "$@"
}
asked=0
for file in "$abs_srcdir"/tests/primitives/gradients/*.txt; do
    grep -v '^#' "$file" | awk "(NR - 1) % $every == 0" >"$tmp/cases"
    while read -r name params options; do
        asked=$((asked + 1)) on=reference
        test $((asked % each)) != 0 || on=$device
        if test "$params" = none; then try "$name has no gradient" refused "$name"
        else try "$name with $params $options on $on" verified "$name" "$params" $options; fi
    done <"$tmp/cases"
done

# A primitive that is not listed would go unverified, and each shows something by itself.
listed() { grep -Eqs "^$1 (-|none)" "$abs_srcdir"/tests/primitives/gradients/*.txt; }
names=$("$KGRAD" prim --list | sed -n 's/^  \([a-z0-9_]*\) .*/\1/p')
try "the list has names" test -n "$names"
for name in $names; do try "$name is in the list, with its defaults" listed "$name"; done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
