;;; TOOL: kgrad show {in} --as kgb -o k.kgb
;;; TOOL: kgrad show k.kgb
// A flat index that was given a name is printed as what it is; one of its own is printed as several.
program p {
  workgroup 8
  grid 1
  param i : i32
  param n : u32 = 4
  buffer a : f32[n, n] read_write
  buffer b : f32[n, n - 1] write
  let t = flat_index(i, flat_index(local_id.x, 0, n), n)
  a[t] = a[local_id.x, i]
  b[t] = 1.0
  b[i, i + 1] = a[flat_index(i, flat_index(local_id.x, 0, n), n)]
  a[5] = f32(len(b, 1) + len(b))
}
;;; STDOUT:
program p {
  workgroup 8
  grid      1
  param     i : i32
  param     n : u32 = 4
  buffer    a : f32[n, n] read_write
  buffer    b : f32[n, n - 1] write

  let t = flat_index(i, flat_index(local_id.x, 0, n), n)
  a[t] = a[local_id.x, i]
  b[t] = 1.0
  b[i, i + 1] = a[local_id.x, i]
  a[5] = f32(len(b, 1) + len(b))
}
