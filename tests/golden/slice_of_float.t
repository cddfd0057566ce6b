;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  param  r : f32 = 4.0
  buffer a : f32[12] read_write
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read_write

    x[local_id.x] = 2.0
  }
  run step(x = a[0 .. r])
}
;;; STDERR:
slice_of_float.kg:11:3: error: the size or bound of a slice is computed from something that is no integer [length-type]
    11 |   run step(x = a[0 .. r])
       |   ^
  fix: use integer params and constants
