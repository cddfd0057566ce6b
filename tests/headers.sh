# Each header stands alone: public ones as C17 and as C++17, internal ones as C17.
passed=0 failed=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
try() { # what, then the command
    what=$1
    shift
    if "$@" 2>"$tmp/err"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: $what"
        sed 's/^/    /' "$tmp/err"
    fi
}
cd "$abs_srcdir" || exit 99
strict="-Wall -Wextra -Wpedantic -Werror"
for header in include/kgrad/*.h; do
    name=${header#include/}
    printf '#include <%s>\nextern int not_empty;\n' "$name" >"$tmp/one.c"
    cp "$tmp/one.c" "$tmp/one.cpp"
    try "$name as C17" $CC -std=c17 $strict -Iinclude -fsyntax-only "$tmp/one.c"
    if test -n "$CXX"; then
        try "$name as C++17" $CXX -std=c++17 $strict -Iinclude -fsyntax-only "$tmp/one.cpp"
    else
        try "$name as C++17: no C++ compiler found" false
    fi
done
for header in $(find foundation modules reference autodiff spirv c primitives driver verify fuzz tools -name '*.h' | sort); do
    # without a guard it is a template, which others expand
    grep -q '^#ifndef .*_H$' "$header" || continue
    printf '#include "%s"\nextern int not_empty;\n' "$header" >"$tmp/one.c"
    try "$header alone" $CC -std=c17 -D_XOPEN_SOURCE=700 -Wall -Wextra -Werror -Wno-unused-function \
        -I. -Iinclude -I"$abs_builddir" -fsyntax-only "$tmp/one.c"
done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
