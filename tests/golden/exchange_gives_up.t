;;; TOOL: kgrad grad {in} --of y --wrt x
;;; EXIT: 1
// Loops that an exchange does not end: the flag says something else where it is asked.
program exchange_gives_up {
  workgroup 8
  grid      1
  buffer    x : f32[8] read
  buffer    y : f32[1] write
  shared    sum : u32[1]

  if local_id.x == 0 { sum[0] = 0 }
  barrier
  var done = false
  var seen = atomic_load(sum[0])
  while true {
    done = seen > 7
    if done { break }
    let now = atomic_compare_exchange(sum[0], seen, bitcast_u32(bitcast_f32(seen) + x[local_id.x]))
    done = now == seen
    seen = now
  }
  barrier
  if local_id.x == 0 { y[0] = bitcast_f32(sum[0]) }
}
;;; STDERR:
exchange_gives_up.kg:12:14: error: atomic_load on sum, which lies on the path to an output, has no adjoint where other invocations may touch the element before the next barrier [grad-atomic]
    12 |   var seen = atomic_load(sum[0])
       |              ^
  fix: use atomic_add, or give each invocation an element of its own, or cut the path with stop_gradient(...)
exchange_gives_up.kg:16:65: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
    16 | let now = atomic_compare_exchange(sum[0], seen, bitcast_u32(bitcast_f32(seen) + x[local_id.x]))
       |                                                             ^
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
exchange_gives_up.kg:16:53: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
    16 |     let now = atomic_compare_exchange(sum[0], seen, bitcast_u32(bitcast_f32(seen) + x[local_id.x]))
       |                                                     ^
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
exchange_gives_up.kg:16:15: error: atomic_compare_exchange on sum, which lies on the path to an output, has no adjoint where other invocations may touch the element before the next barrier [grad-atomic]
    16 |     let now = atomic_compare_exchange(sum[0], seen, bitcast_u32(bitcast_f32(seen) + x[local_id.x]))
       |               ^
  fix: use atomic_add, or give each invocation an element of its own, or cut the path with stop_gradient(...)
exchange_gives_up.kg:13:3: error: the gradient needs what this while gave, which cannot be run again, and is not kept in a condition or a loop like this one [grad-needs-replay]
    13 |   while true {
       |   ^
  fix: state `limit N` on the loop, or cut the path with stop_gradient(...)
exchange_gives_up.kg:21:31: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
    21 |   if local_id.x == 0 { y[0] = bitcast_f32(sum[0]) }
       |                               ^
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
