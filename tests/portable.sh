# Modules as other consumers take them, on the Vulkan device: suites that hold a device against C or the reference run once more with
# them, the examples' gradients and some natural kernels' are judged, and what those consumers reject is in no module.
passed=0 failed=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
KGRAD_TARGET=portable
export KGRAD_TARGET
try() { # what, then the command
    what=$1
    shift
    if "$@" >"$tmp/out" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: $what"
        tail -n 20 "$tmp/out" | sed 's/^/    /'
    fi
}

proves() { "$KGRAD" verify "$@" --device vulkan >"$tmp/verdict" 2>&1 && test "$(tail -n 1 "$tmp/verdict")" = passed || { cat "$tmp/verdict"; return 1; }; }

# A kernel that draws its tiles from a counter finds none where the counter is random.
# Others take whatever they are given, unless they state more.
takes_any() { ! grep '^ *// differences: in ' "$abs_srcdir/tests/natural/$1.kg" | grep -qv ' in counter = '; }
counter_of() { sed -n 's|^ *// differences: in counter = |--in counter=|p' "$abs_srcdir/tests/natural/$1.kg"; }

rejected='CapabilitySignedZero|OpCapability.*Preserve|OpUMulExtended|OpSMulExtended|OpAtomicFAddEXT|Aliased|OpSpecConstantOp|StorageBuffer(8|16)BitAccess'
lacks_rejected() {
    "$KGRAD" grad "$1" --target portable --as spvasm >"$tmp/asm" || return 1
    ! grep -E "$rejected" "$tmp/asm" || return 1
    # validated, with the description beside it
    "$KGRAD" grad "$1" --target portable -o "$tmp/a.spv"
}

# Under sanitizers, of the suites those that have views and every operation: what the others add of portable modules is not seen there.
suites="driver/test_views spirv/test_ops spirv/test_subgroup primitives/test_vulkan" every=10
case $KG_TEST_CFLAGS in *-fsanitize*) suites="driver/test_views spirv/test_ops" every=40 ;; esac
if test "$DEVICE_TESTS" != no; then
    for suite in $suites; do
        try "tests/$suite with portable modules" "$abs_builddir/tests/$suite"
    done
    for file in "$abs_srcdir"/examples/*.kg; do try "$file on vulkan" proves "$file"; done
    at=0
    for name in $(sed -n 's/^\([a-z0-9_]*\) *: passed$/\1/p' "$abs_srcdir/tests/natural/expected.txt"); do
        takes_any "$name" || continue
        at=$((at + 1))
        test $((at % every)) != 0 || try "$name on vulkan" proves "$abs_srcdir/tests/natural/$name.kg" $(counter_of "$name")
    done
fi
for file in "$abs_srcdir"/examples/*.kg "$abs_srcdir"/bench/*_adjoint.kg; do try "$file without what is rejected" lacks_rejected "$file"; done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
