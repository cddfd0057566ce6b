;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer a : f32[12] read_write
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read_write

    x[local_id.x] = 1.0
  }
  run step(x = a[8 .. 4])
  run step(x = a[2 - 3 .. 4])
}
;;; STDERR:
slice_order.kg:10:3: error: a slice of a begins at 8 and ends at 4 [slice-order]
    10 |   run step(x = a[8 .. 4])
       |   ^
  fix: let it begin at 0 or behind, and end where it begins or behind
slice_order.kg:11:3: error: where a slice begins evaluates to -1, which is negative [length-negative]
    11 |   run step(x = a[2 - 3 .. 4])
       |   ^
  fix: change it, or pass params, so that it is at least 0
