# Who may know whom. Each folder must link with its permitted archives alone, each room include and call only what it may
# know, and each folder name its symbols so that they cannot collide.
# What is built is built in one order, whatever the compiler (tests/order.py).
# Who may know whom stands in tests/rooms.txt alone.
rooms() { $PYTHON -B "$abs_srcdir/tests/rooms.py" "$abs_srcdir" "$@"; }
permitted() { rooms --archives | sed -n "s/^$1 *//p"; }
folders=$(rooms --archives | sed 's/ .*//')
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL: $*"; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$abs_builddir" || exit 99

archive() {
    if test -f ".libs/libkgi_$1.a"; then echo ".libs/libkgi_$1.a"; else echo "libkgi_$1.a"; fi
}

# A program, not a shared object: the linker then refuses what is undefined
# whatever the flags, and the sanitizers' run-time symbols are there.
echo 'int main(void) { return 0; }' >"$tmp/main.c"
links() {
    own=$(archive "$1")
    others=
    for other in $(permitted "$1"); do others="$others $(archive "$other")"; done
    $CC $KG_TEST_CFLAGS -o "$tmp/$1" "$tmp/main.c" -Wl,--no-undefined \
        -Wl,--whole-archive "$own" -Wl,--no-whole-archive \
        -Wl,--start-group $others -Wl,--end-group $KG_TEST_LIBS 2>"$tmp/err"
}
for folder in $folders; do
    if links "$folder"; then ok; else
        bad "$folder does not link with its permitted archives alone"
        sed 's/^/    /' "$tmp/err"
    fi
done

# Down to the sub-folders: what sources include and what objects call.
if wrong=$(rooms .); then ok; else
    bad "what tests/rooms.txt forbids"
    echo "$wrong" | sed 's/^/    /'
fi

# Names that another library could also have chosen. DW.ref... is how C++ finds
# its own.
for folder in $folders; do
    # __odr_asan and the like are the sanitizers' own.
    wrong=$($NM -g --defined-only "$(archive "$folder")" 2>/dev/null |
        awk 'NF == 3 && $3 !~ /^(kg_|kgi_|__|DW\.ref\._)/ { print $3 }')
    if test -z "$wrong"; then ok; else
        bad "$folder: names that begin with neither kg_ nor kgi_: "$wrong
    fi
done

# Compilers differ in the order in which they evaluate arguments.
if wrong=$($PYTHON -B "$abs_srcdir/tests/order.py" "$abs_srcdir"); then ok; else
    bad "more than one argument or operand builds something"
    echo "$wrong" | sed 's/^/    /'
fi

if test "$ENABLE_SHARED" = yes; then
    wrong=$($NM -D --defined-only .libs/libkgrad.so | awk '$2 != "A" && $3 !~ /^kg_/ { print $3 }')
    if test -z "$wrong"; then ok; else bad "libkgrad.so exports: "$wrong; fi
else
    echo "note: this build has no shared library, so its exports are not looked at"
fi

echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
