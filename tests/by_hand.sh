# The kernels that bench/cpu.c times, on odd sizes: by hand, and as kgrad makes them, on every device, against plain loops in double.
if "$abs_builddir/bench/kgbench" "$abs_srcdir" cpu_check; then
    echo "kgtest: 1 passed, 0 failed"
else
    echo "kgtest: 0 passed, 1 failed"
    exit 1
fi
