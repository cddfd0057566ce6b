;;; TOOL: kgrad grad {in} --tape-limit 300000 -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
// Which place the others of a round take goes by the order in which invocations come: a round that is run again may have another one.
module drawn {
  param  n : u32 = 4096
  param  trips : u32 = 12
  buffer x : f64[n] read
  buffer y : f64[n] read_write
  buffer q : u32[1] read_write

  program pick {
    workgroup 8
    param     n : u32
    buffer    q : u32[1] read_write
    if global_id.x < n { atomic_exchange(q[0], global_id.x) }
  }

  program step {
    workgroup 8
    param     n : u32
    buffer    q : u32[1] read
    buffer    x : f64[n] read
    buffer    y : f64[n] read_write
    let i = global_id.x
    if i < n { y[i] = y[i] * x[q[0]] }
  }

  repeat k in 0 .. trips {
    run pick invocations n
    run step invocations n
  }
}
;;; STDERR:
grad_segments_by_order.kg:23:23: error: tapes of the gradient take 589824 bytes at n = 4096, trips = 12, and the limit is 300000 bytes; the largest is that of step, with 393216 bytes [grad-tape-limit]
    23 |     if i < n { y[i] = y[i] * x[q[0]] }
       |                       ^
  fix: allow more, give params defaults that keep it small, or cut the path with stop_gradient(...)
