;;; TOOL: sh -c 'CC=none VK_DRIVER_FILES=none.json VK_ICD_FILENAMES=none.json "$KGRAD" run {in} --device abacus'
;;; EXIT: 2
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDERR:
kgrad: error: there is no device abacus [no-device]
  fix: choose one of: reference (the reference interpreter)
