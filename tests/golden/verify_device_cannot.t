;;; TOOL: kgrad verify {in} --device reference --device vulkan
;;; EXIT: 1
;;; DEVICE:
// A device that is named must be able to run it.
program wide {
  workgroup 8
  param     n : u32 = 12
  grid      invocations n
  buffer    x : f64[n] read
  buffer    y : f64[n] write
  if global_id.x < n { y[global_id.x] = sqrt(x[global_id.x] * x[global_id.x] + 1.0) + erf(0.0 * x[global_id.x]) }
}
;;; STDOUT:
on reference:
grad_x: passed, 12 of 12 entries; worst [5]: 0.371290088, dual 0.371290088, 0.1 of what is allowed
along 4 random directions: passed; worst: 0.483129678, dual 0.483129678, 0.056 of what is allowed
passed
on vulkan:
it could not run there
ran on reference
allowed: 2 x 1.11e-16 x 13.3 of the magnitude
FAILED
;;; STDERR:
verify_device_cannot.kg:8:87: error: erf of f64 does not exist on devices [no-f64-function]
     8 | lobal_id.x] = sqrt(x[global_id.x] * x[global_id.x] + 1.0) + erf(0.0 * x[global_id.x]) }
       |                                                             ^
  fix: compute it in f32: f64(erf(f32(x)))
