;;; TOOL: kgrad run ramp.kg --param n=5 --out y=a.npy
;;; TOOL: kgrad run {in} --in x=a.npy --out x=a.npy --out y=b.npy
;;; TOOL: kgrad run sum.kg --in x=a.npy --in y=b.npy
// n comes from the array; x is replaced by what it becomes.
program both {
  workgroup 4
  grid      invocations n
  param     n : u32
  buffer    x : f32[n] read_write
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n {
    y[i] = x[i] + 100.0
    x[i] = -x[i]
  }
}
;;; FILE: ramp.kg
program ramp {
  workgroup 4
  grid      invocations n
  param     n : u32 = 10
  buffer    y : f32[n] write
  if global_id.x < n { y[global_id.x] = f32(global_id.x) * 0.5 }
}
;;; FILE: sum.kg
program sum {
  workgroup 1
  grid      1
  param     n : u32
  buffer    x : f32[n] read
  buffer    y : f32[n] read
  buffer    z : f32[n] write
  for i in 0 .. n { z[i] = 2.0 * x[i] + y[i] }
}
;;; STDOUT:
z : f32[5] = 100 99.5 99 98.5 98
