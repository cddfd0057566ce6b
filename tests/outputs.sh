# Output files from outside: whatever ends the command, all of them appear or
# none, and what was there before stays.
passed=0 failed=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
ulimit -c 0

cat >many.kg <<'END'
program many {
  workgroup 64
  grid      invocations 100000
  buffer    y : f32[100000] write
  buffer    z : f32[100000] write
  let i = global_id.x
  if i < 100000 {
    y[i] = f32(i)
    z[i] = f32(i) * 0.5
  }
}
END
cat >endless.kg <<'END'
program endless {
  workgroup 1
  grid      1
  buffer    y : f32[1] write
  buffer    z : f32[1] write
  while true { y[0] = 1.0 }
}
END

# y.npy is there before and z.npy is not: so it has to be afterwards.
begin() { rm -f y.npy* z.npy* && echo old >y.npy; }
untouched() { # what
    if test "$(cat y.npy)" = old && test "$(echo ?.npy*)" = y.npy; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: $1: there is $(echo ?.npy*), and y.npy begins with $(head -c 6 y.npy | tr -dc '[:print:]')"
    fi
}
status() { # what, exit status, wanted
    test "$2" = "$3" || {
        failed=$((failed + 1))
        echo "FAIL: $1: exit status $2, expected $3"
    }
}
both="--out y=y.npy --out z=z.npy"

begin
"$KGRAD" run many.kg $both --json >/dev/full 2>err
status "a full standard output" $? 2
untouched "a full standard output"

begin
{ "$KGRAD" run many.kg --out y=y.npy --out z=- 2>err; echo $? >code; } | head -c 1 >first
status "a closed pipe" "$(cat code)" 141
untouched "a closed pipe"

begin
(ulimit -f 8 && exec "$KGRAD" run many.kg $both) >out 2>err
status "a limit on files" $? 2
grep -q '\[cannot-write\]' err || { failed=$((failed + 1)); echo "FAIL: a limit on files: no diagnostic"; }
untouched "a limit on files"

begin
"$KGRAD" run many.kg $both --out q=w.npy >out 2>err
status "a wrong name" $? 2
untouched "a wrong name"

# INT and QUIT are ignored by what a script puts into the background; the suite tools/frame raises them.
for signal in TERM HUP PIPE XCPU; do
    case $signal in TERM) number=15 ;; HUP) number=1 ;; PIPE) number=13 ;; XCPU) number=24 ;; esac
    begin
    env --default-signal="$signal" "$KGRAD" run endless.kg --step-limit 1000000000000 $both >out 2>err &
    child=$! tries=0
    until test "$(echo z.npy.*)" != 'z.npy.*' || test $tries -ge 200; do sleep 0.05; tries=$((tries + 1)); done
    kill -s "$signal" "$child"
    wait "$child" 2>/dev/null
    status "SIG$signal" $? $((128 + number))
    untouched "SIG$signal"
done

begin
"$KGRAD" run many.kg $both >out 2>err
status "nothing wrong" $? 0
if test "$(echo ?.npy*)" = "y.npy z.npy" && test "$(wc -c <y.npy)" = 400128; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL: nothing wrong: there is $(echo ?.npy*)"
fi

echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
