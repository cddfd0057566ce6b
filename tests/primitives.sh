# Every primitive: its gradient held against the duals on each device, or refused by name.
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

# A name, then its parameters: rows that no workgroup's size divides, and shorter than it.
differentiable="softmax rows=3,cols=70,workgroup=16
softmax rows=2,cols=5,workgroup=64
layer_norm rows=3,cols=70,workgroup=16
layer_norm rows=2,cols=5,workgroup=64,epsilon=0.01
matmul m=20,n=10,k=30,tile=8"

# Factors that are overwritten in a loop.
refused="kfac_inverse blocks=2,n=5"

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
    "$KGRAD" prim "$1" -o "$tmp/$1.kg" && proves "$tmp/$1.kg"
}

refused_by_name() { # name, params
    build "$1" "$2" || return 1
    "$KGRAD" grad "$tmp/$1.kg" -o "$tmp/adjoint.kg" >"$tmp/refusal" 2>&1
    test $? = 1 && grep -q "\[grad-needs-tape\]" "$tmp/refusal" && ! test -e "$tmp/adjoint.kg" || { cat "$tmp/refusal"; return 1; }
}

while read -r name params; do
    try "$name with $params on $device" verified "$name" "$params" "$device"
done <<END
$differentiable
END
for name in $(echo "$differentiable" | sed 's/ .*//' | sort -u); do try "$name with its defaults" by_itself "$name"; done
while read -r name params; do try "$name is refused by name" refused_by_name "$name" "$params"; done <<END
$refused
END

# A primitive that is not listed above would go unverified.
listed() {
    echo "$differentiable
$refused" | grep -q "^$1 "
}
names=$("$KGRAD" prim --list | sed -n 's/^\([a-z_]*\): .*/\1/p')
try "the list has names" test -n "$names"
for name in $names; do try "$name is in the list" listed "$name"; done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
