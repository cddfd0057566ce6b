;;; TOOL: kgrad verify {in} --device reference
// A while of 300 trips, which nothing bounds: nothing is kept in it, since a tape would have room for 256, to spare a sum its second run.
program cut_guessed_trips {
  workgroup 8
  grid      1
  param     c : f32 = 300.0
  buffer    x : f32[64] read
  buffer    y : f32[8] read_write

  var s = y[global_id.x]
  for k in 0 .. 3 {
    s = sin(s)
    var r = 0.0
    while r < c {
      var q = 0.0
      for j in 0 .. 64 {
        q += x[j] * s
      }
      y[global_id.x] += 0.001 * sin(q)
      r += 1.0
    }
    s *= y[global_id.x]
  }
  y[global_id.x] = s
}
;;; STDOUT: *
