;;; TOOL: kgrad run {in} --in a=ones
;;; EXIT: 2
module m {
  buffer a : f32[12] read_write
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read
    buffer    y : f32[4] write

    y[local_id.x] = x[local_id.x]
  }
  repeat k in 0 .. 4 {
    run step(x = a[k .. k + 4], y = a[6 .. 10])
  }
}
;;; STDERR:
bind_overlap_trip.kg:12:5: error: the run of step binds a[3 .. 7] and a[6 .. 10], and may write one of them [bind-overlap]
    12 |     run step(x = a[k .. k + 4], y = a[6 .. 10])
       |     ^
  fix: let the slices have no element in common, or copy one into another buffer
