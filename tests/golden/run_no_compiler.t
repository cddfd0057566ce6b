;;; TOOL: sh -c 'CC="none -O2" "$KGRAD" run {in} --device cpu'
;;; EXIT: 2
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDERR:
kgrad: error: device cpu needs a C compiler, and CC names none, which is no program on PATH [no-compiler]
  fix: install gcc or clang, or set CC to the command of one
