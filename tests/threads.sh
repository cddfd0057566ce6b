# ThreadSanitizer over what has threads: threads.sh BUILD, a build with --enable-sanitizers=thread, where `./quickstart threads` made it.
# The pool and the caches of the CPU device, the reference's crew, contexts in several threads; then the kernels and gradients of the
# examples, tests/kernels and tests/gradients on the CPU device. What is emitted is compiled with -fsanitize=thread as well, and the
# pool shares whatever can be shared.
build=$1
tests=$(dirname "$0")
abs_srcdir=$(cd "$tests/.." && pwd) KGRAD_CACHE=$(cd "$build" && pwd)/tests/kernels.cache
CC="${CC:-gcc} -fsanitize=thread" KGRAD_THREADS=3 TSAN_OPTIONS=exitcode=66
TSAN_OPTIONS=$TSAN_OPTIONS:suppressions=$abs_srcdir/tests/support/tsan.supp:print_suppressions=0
export abs_srcdir KGRAD_CACHE CC KGRAD_THREADS TSAN_OPTIONS
passed=0 failed=0 ran=0 raced=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

# A command may refuse a kernel; it may not race, nor fall.
clean() { # command
    "$@" >"$tmp/out" 2>&1
    code=$?
    if test "$code" -le 2 && ! grep -q 'WARNING: ThreadSanitizer' "$tmp/out"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: $*, exit status $code"
        sed 's/^/    /' "$tmp/out" | head -n 60
    fi
}
# It may not fail either.
fine() {
    clean "$@"
    if test "$code" != 0; then failed=$((failed + 1)); echo "FAIL: $*, exit status $code"; tail -n 5 "$tmp/out"; fi
}

# No check is silent: a kernel that is a race by intent is found. It is long enough that other threads come in time where much else runs.
printf 'program p { workgroup 64 grid 4096\nbuffer x : u32[1] read_write\nfor k in 0 .. 64 { x[0] = x[0] + global_id.x } }' >"$tmp/race.kg"
"$build/kgrad" run "$tmp/race.kg" --device cpu --in x=0 >"$tmp/out" 2>&1
if test $? = 66; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL: a race in a kernel is not found"
    cat "$tmp/out"
fi

for suite in driver/test_cpu_pool driver/test_cpu_cache driver/test_cpu_run driver/test_contexts reference/test_threads; do
    fine "$build/tests/$suite"
done
fine "$build/kgrad" fuzz --property threads --count 100

# A kernel that races on the reference, too, is wrong by itself: there are few, which show what the language has.
run_on_threads() { # file
    if "$build/kgrad" check --run "$1" 2>&1 | grep -q '\[data-race\]'; then
        raced=$((raced + 1))
        return
    fi
    clean "$build/kgrad" run "$1" --device cpu
    if test "$code" = 0; then ran=$((ran + 1)); fi
}
for file in "$abs_srcdir"/examples/*.kg "$abs_srcdir"/tests/kernels/*.kg "$abs_srcdir"/tests/gradients/*.kg; do
    run_on_threads "$file"
    "$build/kgrad" grad "$file" -o "$tmp/grad.kg" >"$tmp/out" 2>&1 && run_on_threads "$tmp/grad.kg"
done
echo "$ran kernels and gradients ran, and $raced race on the reference, too"
if test "$ran" -ge 200 && test "$raced" -le 8; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL: too few ran"
fi
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
