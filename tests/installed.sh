# `make installcheck`: a program outside the tree compiles against what was
# installed, shared and static, in C and in C++, through pkg-config alone.
# usage: installed.sh PKGCONFIGDIR LIBDIR BINDIR
set -e
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
PKG_CONFIG_PATH=$1
LD_LIBRARY_PATH=$2
export PKG_CONFIG_PATH LD_LIBRARY_PATH
cat >"$tmp/one.c" <<'CODE'
#include <kgrad/kgrad.h>
#include <stdio.h>
int main(void) { return puts(kg_type_name(KG_F32)) < 0; }
CODE
cp "$tmp/one.c" "$tmp/one.cpp"
check() { test "$("$tmp/one")" = f32 && echo "PASS: $1"; }
$CC -o "$tmp/one" "$tmp/one.c" $(pkg-config --cflags --libs kgrad)
check "C, as libkgrad was built to be linked"
$CXX -o "$tmp/one" "$tmp/one.cpp" $(pkg-config --cflags --libs kgrad)
check "C++"
if test -f "$2/libkgrad.a"; then
    $CC -o "$tmp/one" "$tmp/one.c" $(pkg-config --cflags kgrad) "$2/libkgrad.a" \
        $(pkg-config --static --libs kgrad | sed 's/-lkgrad//')
    check "C, static"
fi
"$3/kgrad" ops tanh >/dev/null && echo "PASS: the command"
