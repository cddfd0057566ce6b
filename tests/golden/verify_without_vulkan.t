;;; TOOL: sh -c 'CC=none VK_DRIVER_FILES=none.json VK_ICD_FILENAMES=none.json "$KGRAD" verify {in} --device all'
program twice {
  workgroup 64
  param     n : u32 = 10
  grid      invocations n
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = 2.0 * x[i] }
}
;;; STDOUT:
grad_x: passed, 10 of 10 entries; worst [0]: 0.786185563, dual 0.786185563, 0 of what is allowed
along 4 random directions: passed; worst: 2.74309706, dual 2.74309706, 0 of what is allowed
ran on reference; found no Vulkan device
allowed: 2 x 5.96e-08 x 13.6 of the magnitude
passed
