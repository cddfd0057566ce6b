;;; TOOL: kgrad verify {in}
;;; EXIT: 2
// There is no param to make smaller.
program fixed {
  workgroup 64
  grid      1
  buffer    x : f32[4000000000] read
  buffer    y : f32[64] write
  y[global_id.x] = x[global_id.x]
}
;;; STDERR:
kgrad: error: buffer x has 4000000000 elements here, and all buffers together may have 100000000 [too-many-elements]
  fix: declare shorter buffers, pass shorter arrays, or bound the trips that a tape has room for
