# Every row of the tables of diagnostics says what to do, and is provoked by a
# test: its id stands in a golden test's expected output, or in a suite.
passed=0 failed=0
cd "$abs_srcdir" || exit 99
for table in foundation/base/diags.def tools/diags.def; do
    for id in $(sed -n 's/^\(TOOL_\)*DIAG([a-z0-9_]*, "\([a-z0-9-]*\)".*/\2/p' $table); do
        if grep -q -e "\[$id\]" -e "\"id\":\"$id\"" tests/golden/*.t || grep -q "\"$id\"" tests/*/*.c; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAIL: no test provokes $id of $table"
        fi
    done
done
# Each says what to do. An argument may be the whole of it.
for table in foundation/base/diags.def tools/diags.def; do
    without=$(sed -n 's/^\(TOOL_\)*DIAG([a-z0-9_]*, "\([a-z0-9-]*\)".*, "")$/\2/p' $table)
    if test -z "$without"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: no fix in $table for:" $without
    fi
done
# What is not differentiated is told in a table that is made of these rows.
if python3 -B tests/refusals.py .; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
