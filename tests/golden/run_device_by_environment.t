;;; TOOL: sh -c 'KGRAD_DEVICE=vulkan "$KGRAD" run {in} --time | sed "s/[0-9.]* ms/T ms/"; KGRAD_DEVICE=vulkan "$KGRAD" run {in} --device reference --time | tail -n 1 | sed "s/[0-9.]* ms/T ms/"; KGRAD_DEVICE=no "$KGRAD" run {in} 2>&1 | head -n 1'
;;; DEVICE:
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; STDOUT:
y : f32[10] = 0 0.5 1 1.5 2 2.5 3 3.5 ...
T ms on vulkan
T ms on reference
kgrad: error: there is no device no [no-device]
