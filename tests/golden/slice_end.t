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
  repeat k in 0 .. 4 {
    run step(x = a[k * n .. (k + 1) * n])
  }
}
;;; STDERR:
slice_end.kg:12:5: error: the slice a[12 .. 16] ends behind the end of a, which has 12 elements [slice-end]
    12 |     run step(x = a[k * n .. (k + 1) * n])
       |     ^
  fix: let it end at 12 at most, or declare a longer buffer
