;;; TOOL: sh -c '"$KGRAD" run {in} --in y=zeros --time | sed "s/[0-9.]* ms/T ms/"'
// The CPU device has no atomics of f16; the reference runs what the usual device refuses.
program total {
  workgroup 4
  grid      1
  buffer    y : f16[1] read_write
  atomic_add(y[0], f16(1.5))
}
;;; STDOUT:
y : f16[1] = 6
T ms on reference
;;; STDERR:
kgrad: note: cpu does not take this kernel; it runs on the reference [not-on-device]
  fix: --device cpu says why
