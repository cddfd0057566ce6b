;;; TOOL: kgrad verify {in}
;;; EXIT: 2
// No n makes the tape short enough: a trip for each count that a word holds.
program tape {
  workgroup 64
  grid      invocations n
  param     n : u32 = 37
  buffer    x : f32[n] read
  buffer    c : u32[n] read in 0 .. 2147483647
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n {
    var v = x[i]
    for k in 0 .. c[i] { v = sin(v) }
    y[i] = v
  }
}
;;; STDERR:
kgrad: error: buffer tape_tape has 8589934592 elements here, and all buffers together may have 100000000 [too-many-elements]
  fix: declare shorter buffers, pass shorter arrays, or bound the trips that a tape has room for
