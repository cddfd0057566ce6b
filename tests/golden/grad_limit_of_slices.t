;;; TOOL: kgrad grad {in} -o adjoint.kg --tape-limit 160
;;; TOOL: kgrad grad {in} -o adjoint.kg --tape-limit 159
;;; EXIT: 1
module m {
  buffer h : f32[48] read_write
  buffer s : u32[2] temp
  program deal {
    workgroup 2
    grid      1
    param     k : u32
    buffer    s : u32[2] write

    s[local_id.x] = (local_id.x + k) % 2
  }
  program step adjoint back {
    workgroup 4
    grid      1
    buffer    x : f32[4] read_write
    buffer    s : u32[2] read
    buffer    t : u32[2] read

    x[local_id.x] = exp(x[local_id.x] * f32(s[0] + t[1]))
  }
  program back {
    workgroup 4
    grid      1
    buffer    x : f32[4] read
    buffer    s : u32[2] read
    buffer    t : u32[2] read
    buffer    grad_x : f32[4] read_write

    grad_x[local_id.x] *= x[local_id.x] * f32(s[0] + t[1])
  }
  repeat k in 0 .. 5 {
    run deal(k = k)
    run step(x = h[4 * k .. 4 * k + 4], s = s, t = s)
    run step(x = h[4 * k .. 4 * k + 4], s = s, t = s)
  }
}
;;; STDERR:
grad_limit_of_slices.kg:15:15: error: tapes of the gradient take 160 bytes, and the limit is 159 bytes; the largest is that of step, with 80 bytes [grad-tape-limit]
    15 |     buffer    x : f32[4] read_write
       |               ^
  fix: allow more, give params defaults that keep it small, or cut the path with stop_gradient(...)
