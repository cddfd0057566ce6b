# A statement is added by a row of foundation/ir/stmts.def. One that says too little, or takes a wrong number, does not compile; one
# that says all compiles, and the compiler then names every place that must know of it.
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL: $*"; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$abs_srcdir" || exit 99
mkdir -p "$tmp/foundation/ir"
compiles() { # a source
    $CC -std=c17 -D_XOPEN_SOURCE=700 -Wall -Wextra -Werror -I"$tmp" -I. -Iinclude -I"$abs_builddir" -fsyntax-only "$1" 2>"$tmp/err"
}
add() { # a row behind the last
    awk -v row="$1" '{ print } /^KIND\(return,/ { print row }' foundation/ir/stmts.def >"$tmp/foundation/ir/stmts.def"
}
next=$(grep -c '^KIND(' foundation/ir/stmts.def)
tables=foundation/ir/tables.c switch=foundation/passes/clean.c

add ''
if compiles $tables && compiles $switch; then ok; else bad "the table as it is: $(cat "$tmp/err")"; fi
while IFS='|' read -r what row; do
    add "$row"
    if compiles $tables; then bad "$what: compiles"; else ok; fi
done <<ROWS
no columns|KIND(sleep, $next, "sleep")
no effect|KIND(sleep, $next, "sleep", NONE, NONE, NONE, NONE)
no operands|KIND(sleep, $next, "sleep", NONE, , NONE, NONE, 0)
an effect that there is not|KIND(sleep, $next, "sleep", NONE, NONE, NONE, NONE, SNORES)
a number that another has|KIND(sleep, $((next - 1)), "sleep", NONE, NONE, NONE, NONE, 0)
a number that an early one has|KIND(sleep, 3, "sleep", NONE, NONE, NONE, NONE, 0)
a number left out|KIND(sleep, $((next + 1)), "sleep", NONE, NONE, NONE, NONE, 0)
no number|KIND(sleep, , "sleep", NONE, NONE, NONE, NONE, 0)
ROWS
add "KIND(sleep, $next, \"sleep\", NONE, NONE, NONE, NONE, QUIET)"
if compiles $tables; then ok; else bad "a whole row: $(cat "$tmp/err")"; fi
if compiles $switch; then bad "a switch over kinds that lacks one compiles"
elif grep -q KGI_sleep "$tmp/err"; then ok; else bad "a switch that lacks a kind: $(cat "$tmp/err")"; fi
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
