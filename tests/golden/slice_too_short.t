;;; TOOL: kgrad run {in} --in a=ones
;;; EXIT: 2
module m {
  param  n : u32 = 4
  buffer a : f32[3 * n] read_write
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read_write

    x[local_id.x] = 2.0
  }
  run step(x = a[0 .. n])
  run step(x = a[2 .. n + 1])
}
;;; STDERR:
slice_too_short.kg:12:3: error: buffer x has 4 elements, but a[2 .. 5], bound to it here, has 3 [bound-too-short]
    12 |   run step(x = a[2 .. n + 1])
       |   ^
  fix: bind a longer buffer, or pass other params
