# The kernels that bench/cpu.c times, on odd sizes: by hand, and as kgrad makes them, on every device, against plain loops in double.
"$abs_builddir/bench/kgbench" "$abs_srcdir" cpu_check
