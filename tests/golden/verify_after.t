;;; TOOL: kgrad verify {in} --wrt "h after step" --device reference --device vulkan
;;; DEVICE:
module after {
  param  n : u32 = 70
  buffer x : f32[n] read
  buffer h : f32[n] temp
  buffer y : f32[n] write
  program square {
    workgroup 64
    grid invocations n
    param n : u32
    buffer x : f32[n] read
    buffer h : f32[n] write
    let i = global_id.x
    if i < n { h[i] = x[i] * x[i] }
  }
  program step {
    workgroup 64
    grid invocations n
    param n : u32
    buffer x : f32[n] read
    buffer h : f32[n] read_write
    let i = global_id.x
    if i < n { h[i] = h[i] * h[i] * 0.5 + x[i] }
  }
  program last {
    workgroup 64
    grid invocations n
    param n : u32
    buffer x : f32[n] read
    buffer h : f32[n] read
    buffer y : f32[n] write
    let i = global_id.x
    if i < n { y[i] = 3.0 * h[i] + h[i] * h[i] * x[i] }
  }
  run square(n = n, x = x, h = h)
  repeat k in 0 .. 3 { run step(n = n, x = x, h = h) }
  run last(n = n, x = x, h = h, y = y)
}
;;; STDOUT:
on reference:
grad_h_after_step: passed, 70 of 70 entries; worst [41]: -4.61271381, dual -4.61271335, 0.011 of what is allowed
along 4 random directions: passed; worst: 2.26838975, dual 2.26839033, 0.00088 of what is allowed
passed
on vulkan:
grad_h_after_step: passed, 70 of 70 entries; worst [41]: -4.61271381, dual -4.61271335, 0.011 of what is allowed
along 4 random directions: passed; worst: 2.26838975, dual 2.26839033, 0.00088 of what is allowed
passed
ran on reference, vulkan
allowed: 2 x 5.96e-08 x 78.8 of the magnitude
passed
