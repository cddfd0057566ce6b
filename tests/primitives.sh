# Every primitive: its gradient held against the duals on each device.
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

# A name, then its parameters: rows that no workgroup's size divides, and shorter than it. Random blocks are positive definite once
# their diagonal is large; a block that is not has the inverse zero, and so a gradient that shows nothing.
primitives="softmax rows=3,cols=70,workgroup=16
softmax rows=2,cols=5,workgroup=64
layer_norm rows=3,cols=70,workgroup=16
layer_norm rows=2,cols=5,workgroup=64,epsilon=0.01
matmul m=20,n=10,k=30,tile=8
kfac_inverse blocks=2,n=5,damping=9
kfac_inverse blocks=1,n=18,damping=30,workgroup=16"

build() { "$KGRAD" prim "$1" $(echo ",$2" | sed 's/,/ --param /g') -o "$tmp/$1.kg"; }

# Proved, and not zero.
proves() {
    "$KGRAD" verify "$@" >"$tmp/verdict" 2>&1 && test "$(tail -n 1 "$tmp/verdict")" = passed && return
    cat "$tmp/verdict"
    return 1
}

verified() { # name, params, device
    build "$1" "$2" && proves "$tmp/$1.kg" --device "$3" && proves "$tmp/$1.kg" --device "$3" --accumulate
}

# Defaults show something.
by_itself() { # name
    "$KGRAD" prim "$1" -o "$tmp/$1.kg" || return 1
    if test "$1" = kfac_inverse; then proves "$tmp/$1.kg" --param damping=25; else proves "$tmp/$1.kg"; fi
}

while read -r name params; do
    try "$name with $params on $device" verified "$name" "$params" "$device"
done <<END
$primitives
END
for name in $(echo "$primitives" | sed 's/ .*//' | sort -u); do try "$name with its defaults" by_itself "$name"; done

# A primitive that is not listed above would go unverified.
listed() { echo "$primitives" | grep -q "^$1 "; }
names=$("$KGRAD" prim --list | sed -n 's/^\([a-z_]*\): .*/\1/p')
try "the list has names" test -n "$names"
for name in $names; do try "$name is in the list" listed "$name"; done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
