;;; TOOL: kgrad run {in} --device reference --in order=random --in a=random --in v=random
// Offsets ascend, a definite block has a larger diagonal than all others of its row together, and v is not negative.
program p {
  workgroup 1
  grid      1
  buffer    order : u32[3, 4] read in 0 .. 50 drawn ascending
  buffer    a : f32[2, 3, 3] read drawn definite
  buffer    v : f32[100] read drawn positive
  buffer    descents : u32 write
  buffer    skew : f32 write
  buffer    least : f32 write
  buffer    margin : f32 write

  var falls : u32 = 0
  for r in 0 .. 3 { for i in 1 .. 4 { if order[r, i] < order[r, i - 1] { falls += 1 } } }
  descents = falls
  var apart = 0.0
  var spare = inf
  for b in 0 .. 2 {
    for i in 0 .. 3 {
      var rest = a[b, i, i]
      for j in 0 .. 3 {
        apart = max(apart, abs(a[b, i, j] - a[b, j, i]))
        if j != i { rest -= abs(a[b, i, j]) }
      }
      spare = min(spare, rest)
    }
  }
  skew = apart
  margin = select(spare > 0.5, 1.0, 0.0)
  var lowest = inf
  for i in 0 .. 100 { lowest = min(lowest, v[i]) }
  least = select(lowest > 0.0, 1.0, 0.0)
}
;;; STDOUT:
descents : u32[1] = 0
skew : f32[1] = 0
least : f32[1] = 1
margin : f32[1] = 1
