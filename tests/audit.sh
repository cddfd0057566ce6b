# Backward kernels that somebody wrote, held against their forward kernels on each device: right ones pass, and wrong ones are found.
passed=0 failed=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
device=vulkan
test "$DEVICE_TESTS" = no && device=reference
try() { # what, then the command
    what=$1
    shift
    if "$@" >"$tmp/out" 2>&1; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL: $what"
        sed 's/^/    /' "$tmp/out"
    fi
}

right() { "$KGRAD" audit "$@" --device $device && test "$("$KGRAD" audit "$@" | tail -n 1)" = passed; }
wrong() { # the pattern that is named, or "", then what is audited
    pattern=$1
    shift
    "$KGRAD" audit "$@" --device $device >"$tmp/verdict"
    test $? = 1 && grep -q "FAILED.*wrong" "$tmp/verdict" && grep -q "$pattern" "$tmp/verdict" && return
    cat "$tmp/verdict"
    return 1
}

# The adjoints in bench were written by hand. They do the forward's work, too, and so may run in its place.
bench=$abs_srcdir/bench examples=$abs_srcdir/examples
for name in brusselator fisher group_norm lattice_boltzmann layernorm logistic lstm mix nbody rmsnorm saxpy softmax softmax_online; do
    forward=$bench/$name.kg
    test -e "$forward" || forward=$examples/$name.kg
    try "$name" right "$forward" "$bench/${name}_adjoint.kg" --entries 32
done
try "saxpy in the forward's place" right "$examples/saxpy.kg" "$bench/saxpy_adjoint.kg" --combined
try "softmax in the forward's place" right "$examples/softmax.kg" "$bench/softmax_adjoint.kg" --combined

# Gradients of several runs, with repeats and temporaries, as kgrad makes them.
made() { "$KGRAD" grad "$examples/$1.kg" -o "$tmp/made.kg" && right "$examples/$1.kg" "$tmp/made.kg" --combined --entries 16; }
for name in pendulum equilibrium deblur; do try "$name, as kgrad makes it" made $name; done

# The adjoints of bench with one thing spoilt.
spoil() { # name, what of the text, what it becomes, the pattern
    forward=$bench/$1.kg
    test -e "$forward" || forward=$examples/$1.kg
    sed "s|$2|$3|" "$bench/$1_adjoint.kg" >"$tmp/spoilt.kg"
    try "$1 with $3 is another kernel" test "$(cmp "$bench/$1_adjoint.kg" "$tmp/spoilt.kg" | wc -l)" = 1
    try "$1 with $3" wrong "$4" "$forward" "$tmp/spoilt.kg"
}
spoil saxpy "grad_x.i. = a" "grad_x[i] = -a" "each entry has the other sign"
spoil saxpy "= a \* grad_y.i." "= grad_y[i]" "times what it must be, as 1 / a is"
spoil mix "grad_x.i. = grad_y.i. \*" "grad_x[i] = " "each entry lacks the factor grad_y.i."
spoil mix "dq \* slope + dv" "dq * slope - dv" ""
spoil rmsnorm "let mean = part.0. / width" "let mean = part[0]" ""
spoil rmsnorm "scale.j. - x.row, j. \* inverse" "scale[j] + x[row, j] * inverse" ""
spoil layernorm "mean_g - n" "n" ""
spoil layernorm "let g = grad_y.row, j. \* scale.j." "let g = grad_y[row, j]" ""
spoil softmax "grad_x.row, j. =" "if j != 3 { grad_x[row, j] = 0.0 } grad_x[row, (j + 1) % n_cols] =" ""

# A pair of shaders, with grids of their own.
if command -v glslangValidator >/dev/null || command -v glslc >/dev/null; then
    shader() {
        verdict=$1
        shift
        $verdict "$abs_srcdir/tests/audit/layer_norm.comp" "$@" --map dy=grad_y --map dx=grad_x \
            --param columns=20 --param eps=0.001 --param groups_x=1 --param "layer_norm_backward:groups_x=3"
    }
    # The backward shaders in bench/shaders, and each with one thing spoilt. The rows do not fill the last trip of a workgroup.
    pair() { # verdict, the backward shader, then the name and what both are dispatched with
        verdict=$1 backward=$2 name=$3
        shift 3
        $verdict "$bench/shaders/$name.comp" "$backward" --entries 32 "$@"
    }
    both() { # what of the text, what it becomes, then as for pair
        old=$1 new=$2 name=$3
        shift 3
        try "backward shader $name" pair right "$bench/shaders/${name}_backward.comp" "$name" "$@"
        sed "s|$old|$new|" "$bench/shaders/${name}_backward.comp" >"$tmp/spoilt.comp"
        try "$name with $new is another shader" test "$(cmp "$bench/shaders/${name}_backward.comp" "$tmp/spoilt.comp" | wc -l)" = 1
        try "backward shader $name with $new" pair "wrong grad_" "$tmp/spoilt.comp" "$name" "$@"
    }
    both "mean.y . scale . scale" "mean.y * scale" rms_norm --param groups_x=3 --param columns=70 --param eps=0.00001
    both " - means.y" "" layer_norm --param groups_x=3 --param columns=70 --param eps=0.00001
    both "p.scale . y" "y" soft_max --param groups_x=3 --param columns=70 --param scale=0.5
    both "3.0 . 0.044715" "0.044715" gelu --param groups_x=3 --param n=150
    both "1.0 + v . (1.0 - s)" "1.0 + (1.0 - s)" swiglu --param groups_x=3 --param n=150
    both "g.y . c - g.x" "g.y * c + g.x" rope --param groups_x=2 --param groups_y=3 --param pairs=40 --param base=10000
    both "4.86 . c" "2.43 * c" tone_map --param groups_x=2 --param n=100 --param exposure=0.8
    try "layer norm of shaders" shader right "$abs_srcdir/tests/glsl/layer_norm_backward.comp"
    sed 's/dx.row + k. = scale \* (dy.row + k. \* weight.k./dx[row + k] = scale * weight[k] * (dy[row + k]/' \
        "$abs_srcdir/tests/glsl/layer_norm_backward.comp" >"$tmp/layer_norm_backward.comp"
    try "layer norm of shaders, with the weight in the wrong place" shader "wrong grad_x" "$tmp/layer_norm_backward.comp"

    # Bindings as hosts have them: a block at 0, gaps, another set.
    square() { # the name, the body, the other bindings
        printf '#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) readonly buffer P { uint n; };\n%s\n%s\n' \
            "layout(binding = 2) readonly buffer X { float x[]; };" "$3
            void main() { uint i = gl_GlobalInvocationID.x; $2 }" >"$tmp/$1.comp"
    }
    dy="layout(set = 1, binding = 0) readonly buffer DY { float dy[]; }; layout(binding = 7) writeonly buffer DX { float dx[]; };"
    square square "if (i < n) y[i] = x[i] * x[i];" "layout(binding = 3) writeonly buffer Y { float y[]; };"
    square back "if (i < n) dx[i] = 2.0 * x[i] * dy[i];" "$dy"
    square turned "if (i < n) dx[i] = -2.0 * x[i] * dy[i];" "$dy"
    square stuck "if (i >= n) { barrier(); return; } dx[i] = 2.0 * x[i] * dy[i];" "$dy"
    bindings() { # verdict, the backward
        $1 "$tmp/square.comp" "$tmp/$2.comp" --grid 2 --in n=100 --map dy=grad_y --map dx=grad_x
    }
    fails() { "$KGRAD" audit "$@" >"$tmp/verdict" 2>&1; test $? = 1 && grep -q "was not judged" "$tmp/verdict" && ! grep -q "grad_x" "$tmp/verdict"; }
    try "bindings with gaps" bindings right back
    try "bindings with gaps, and another sign" bindings "wrong sign" turned
    try "a backward that fails is not judged" bindings fails stuck
fi
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
