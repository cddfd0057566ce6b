# A Vulkan of other people's making, which shares no code with the one that the suites run on: second_vulkan.sh KGRAD ICD.json NAME.
# The gradients of tests/gradients, and random programs: what the device leaves lies where the reference says. ./quickstart check
# fetches SwiftShader for it; doc/devices.md has what was found.
kgrad=$1 name=$3
tests=$(dirname "$0")
VK_DRIVER_FILES=$2 VK_ICD_FILENAMES=$2
export VK_DRIVER_FILES VK_ICD_FILENAMES
passed=0 failed=0 ran=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL: $*"; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT

if "$kgrad" devices | grep -q "^vulkan:0: $name"; then ok; else bad "vulkan:0 is not $name"; fi

# Inconclusive is not wrong, and what a device lacks is refused. A command that falls says neither.
for file in "$tests"/gradients/*.kg; do
    "$kgrad" verify --device vulkan "$file" >"$tmp/out" 2>"$tmp/err"
    code=$?
    if grep -q '^ran on reference, vulkan$' "$tmp/out"; then ran=$((ran + 1)); fi
    if test "$code" -le 2 && { ! grep -q FAILED "$tmp/out" || grep -q '\[device-lacks\]\|\[device-barrier\]' "$tmp/err"; }; then ok; else
        bad "$file, exit status $code"
        sed 's/^/    /' "$tmp/out" "$tmp/err"
    fi
done
if test "$ran" -ge 120; then ok; else bad "only $ran gradients of tests/gradients ran on $name"; fi

if "$kgrad" fuzz --device vulkan --count 100 --time 60 --limit 60 >"$tmp/out" 2>&1; then ok; else
    bad "kgrad fuzz --device vulkan"
    sed 's/^/    /' "$tmp/out"
fi
echo "kgtest: $passed passed, $failed failed"
test "$failed" = 0
