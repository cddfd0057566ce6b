;;; TOOL: kgrad show {in} --as kgb -o k.kgb
;;; TOOL: kgrad show k.kgb
// The binary form keeps the extents.
module m {
  param  n : u32 = 2
  buffer a : f32[n, 2 * n, 3] read
  buffer b : f32[n, 7] write
  program p {
    workgroup 1
    grid 1
    param n : u32
    buffer a : f32[n, 2 * n, 3] read
    buffer b : f32[n, 7] write
    shared t : f32[4, 8]
    var v : f32[2, 2, 2, 2]
    v[3] = a[2]
    b[1] = v[3]
  }
  run p
}
;;; STDOUT:
module m {
  param  n : u32 = 2
  buffer a : f32[n, 2 * n, 3] read
  buffer b : f32[n, 7] write

  program p {
    workgroup 1
    grid      1
    param     n : u32
    buffer    a : f32[n, 2 * n, 3] read
    buffer    b : f32[n, 7] write
    shared    t : f32[4, 8]

    var v : f32[2, 2, 2, 2]
    v[3] = a[2]
    b[1] = v[3]
  }

  run p
}
