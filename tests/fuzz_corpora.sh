# Each fuzz target over its kept inputs, through its plain main: every input that
# once failed stays mended.
passed=0 failed=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
for target in $FUZZ_TARGETS; do
    corpus=$abs_srcdir/fuzz/corpus/$(basename "$target")
    count=$(find "$corpus" -type f 2>/dev/null | wc -l)
    if test "$count" = 0; then
        failed=$((failed + 1))
        echo "FAIL: $target has no corpus in fuzz/corpus/$(basename "$target")"
    elif "$abs_builddir/$target" "$corpus"/* >"$tmp/out" 2>&1; then
        passed=$((passed + count))
    else
        failed=$((failed + 1))
        echo "FAIL: $target"
        tail -n 40 "$tmp/out" | sed 's/^/    /'
    fi
done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
