# Every example: its gradient held against the duals on each device, with two seeds, and with sizes other than its defaults. The
# tiled product agrees with the naive one.
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
devices=reference
test "$DEVICE_TESTS" = no || devices="reference vulkan"
device=${devices##* } # `verify` judges the reference besides
# Under sanitizers a process takes longer to open and close a Vulkan device than for all the rest: one of eight opens one.
# And of the kernels made to trip a reversal, one of four is taken.
case $KG_TEST_CFLAGS in *-fsanitize*) each=8 every=4 ;; *) each=1 every=1 ;; esac
asked=0 at=0
next_device() {
    asked=$((asked + 1)) on=reference
    test $((asked % each)) != 0 || on=$device
}

# A name, params that no workgroup's size divides, and options, where few of many entries do.
examples="saxpy n=77
mix n=131
softmax n_rows=3,n_cols=70
layernorm n_rows=2,n_cols=33
matmul n=9,k=11,m=17
matmul_tiled n=9,k=11,m=17
stencil w=19,h=7
gather count=23,width=5,rows=4
inplace n=45
adam n=70
particles n=45
pendulum n=77,rounds=3
quantised n_in=11,n_out=37
orbit n=77
equilibrium n=77
deblur w=13,h=11,taps=7
splats n=13,w=9,h=11
train/net samples=77,hidden=9
phase/patterns masks=1 --entries 8 --directions 1
regression batch=77,n_in=3,hidden=9"

# Proved, and not zero.
proves() {
    "$KGRAD" verify "$@" >"$tmp/verdict" 2>&1 && test "$(tail -n 1 "$tmp/verdict")" = passed && return
    cat "$tmp/verdict"
    return 1
}

verify() { # name, params, options
    for seed in 1 2; do
        next_device
        try "$1 on $on, seed $seed" proves "$abs_srcdir/examples/$1.kg" --device "$on" --seed $seed $3
    done
    for added in "" --accumulate; do
        next_device
        try "$1 on $on with $2 $added" proves "$abs_srcdir/examples/$1.kg" --device "$on" $added $3 $(echo ",$2" | sed 's/,/ --param /g')
    done
}

refused_by_name() { # file, diagnostic
    "$KGRAD" grad "$1" -o "$tmp/adjoint.kg" >"$tmp/refusal" 2>&1
    test $? = 1 && grep -q "\[$2\]" "$tmp/refusal" && ! test -e "$tmp/adjoint.kg" || { cat "$tmp/refusal"; return 1; }
}

agrees() { # device: sums are in one order in both, so they agree to the bit unless the device contracts them
    for name in matmul matmul_tiled; do
        "$KGRAD" run "$abs_srcdir/examples/$name.kg" --device "$1" --out "c=$tmp/$name.npy" || return 1
    done
    "$PYTHON" - "$tmp" <<'END'
import struct, sys
def load(name):
    data = open(f"{sys.argv[1]}/{name}.npy", "rb").read()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack(f"<{len(body) // 4}f", body)
a, b = load("matmul"), load("matmul_tiled")
assert len(a) == len(b) == 21 * 30 and any(a), "empty"
worst = max(abs(x - y) for x, y in zip(a, b))
assert worst <= 1e-5, f"they differ by {worst}"
END
}

while read -r name params options; do verify "$name" "$params" "$options"; done <<END
$examples
END
for device in $devices; do
    try "matmul_tiled agrees with matmul on $device" agrees "$device"
    try "deblur on $device" "$abs_builddir/examples/deblur" --kernels "$abs_srcdir/examples" --device "$device" --size 40 --steps 60 \
        --least 0.5 --out "$tmp/pictures"
    try "splats on $device" "$abs_builddir/examples/splats" --kernels "$abs_srcdir/examples" --device "$device" --size 24 --splats 36 \
        --steps 30 --least 2 --out "$tmp/pictures"
    try "phase on $device" "$abs_builddir/examples/phase" --kernels "$abs_srcdir/examples" --device "$device" --masks 2 --steps 20 \
        --least 20 --out "$tmp/pictures"
done
# K-FAC comes to Adam's lowest loss in a fifth of its steps. What is compiled is for the machine's own cores.
try "regression on cpu" "$abs_builddir/examples/regression" --kernels "$abs_srcdir/examples" --device cpu --steps 600 --out "$tmp/pictures"
# A module that trains: its loss falls to a fifth.
trains() { # device
    "$KGRAD" run "$abs_srcdir/examples/train/train.kg" --device "$1" --param steps=60 --param samples=77 --out "curve=$tmp/curve.npy" || return 1
    "$PYTHON" - "$tmp/curve.npy" <<'END'
import struct, sys
data = open(sys.argv[1], "rb").read()
body = data[10 + struct.unpack("<H", data[8:10])[0]:]
loss = struct.unpack(f"<{len(body) // 4}f", body)
assert len(loss) == 60 and loss[0] > 0.1 and loss[-1] < loss[0] / 5, loss
END
}
for device in $devices cpu; do try "train on $device" trains "$device"; done
# The programs that embed the library: y = x e^(x/2), whose derivative is (1 + x/2) e^(x/2).
embeds() { # program, device
    "$abs_builddir/examples/$1" "$2" >"$tmp/embed" || { cat "$tmp/embed"; return 1; }
    "$PYTHON" - "$tmp/embed" <<'END'
import math, sys
head, *rows = open(sys.argv[1]).read().splitlines()
assert head.endswith("it worked, gradient passed") and len(rows) == 8, head
for k, row in enumerate(rows):
    x = 0.25 * k
    _, at, _, y, _, slope = row.split()
    right = float(at) == x and math.isclose(float(y), x * math.exp(x / 2), abs_tol=2e-5) and \
        math.isclose(float(slope), (1 + x / 2) * math.exp(x / 2), abs_tol=2e-5)
    assert right, row
END
}
for program in embed embed_cpp; do
    for device in $devices; do try "$program on $device" embeds "$program" "$device"; done
done

# Kernels made to trip a naive reversal. A first line says what they are refused with, or what options they need.
for file in "$abs_srcdir"/tests/gradients/*.kg; do
    at=$((at + 1))
    test $((at % every)) = 0 || continue
    name=$(basename "$file" .kg)
    refusal=$(sed -n '1s|^// refused: ||p' "$file") options=$(sed -n '1s|^// with: ||p' "$file")
    if test -n "$refusal"; then
        try "$name is refused with $refusal" refused_by_name "$file" "$refusal"
        continue
    fi
    next_device
    try "gradient of $name on $on" proves "$file" --device "$on" $options
    try "gradient of $name, added up" proves "$file" $options --accumulate
done

# An example that is not listed above would go unverified.
for file in "$abs_srcdir"/examples/*.kg; do
    name=$(basename "$file" .kg)
    listed() { echo "$examples" | grep -q "^$1 "; }
    try "$name is in the list" listed "$name"
done
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
