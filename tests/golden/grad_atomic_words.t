;;; TOOL: kgrad grad {in}
;;; EXIT: 1
program largest {
  workgroup 64
  grid      4
  buffer    x : f32[256] read
  buffer    y : f32[4] write
  shared    t : i32[1]
  if local_id.x == 0 { t[0] = 0 }
  barrier
  atomic_max(t[0], bitcast_i32(abs(x[global_id.x])))
  barrier
  if local_id.x == 0 { y[workgroup_id.x] = bitcast_f32(t[0]) }
}
;;; STDERR:
grad_atomic_words.kg:9:20: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
     9 |   atomic_max(t[0], bitcast_i32(abs(x[global_id.x])))
       |                    ^
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
grad_atomic_words.kg:9:3: error: atomic_max on t, which lies on the path to an output, compares the bits of floats as integers [grad-atomic-words]
     9 |   atomic_max(t[0], bitcast_i32(abs(x[global_id.x])))
       |   ^
  fix: let t be of floats, and take atomic_max of the float itself; in a shader, let the words be int, and the float be seen to be neither NaN nor below 0, as max(v, 0.0) is
grad_atomic_words.kg:11:44: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
    11 |   if local_id.x == 0 { y[workgroup_id.x] = bitcast_f32(t[0]) }
       |                                            ^
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
