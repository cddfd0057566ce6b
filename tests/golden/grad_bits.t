;;; TOOL: kgrad grad {in} -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
program bits {
  workgroup 64
  param     n : u32 = 1000
  grid      invocations n
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n {
    let b = bitcast_u32(x[i]) & 0x7fffff00
    y[i] = bitcast_f32(b)
  }
}
;;; STDERR:
grad_bits.kg:9:13: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
     9 |     let b = bitcast_u32(x[i]) & 0x7fffff00
       |             ^
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
grad_bits.kg:9:31: error: and works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
     9 |     let b = bitcast_u32(x[i]) & 0x7fffff00
       |                               ^
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
grad_bits.kg:10:12: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
    10 |     y[i] = bitcast_f32(b)
       |            ^
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
