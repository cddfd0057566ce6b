;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  buffer    x : f32[4] read
  buffer    d : f64[4] read
  buffer    y : f32[4] write
  y[0] = mix(x[0], d[0], 0.5)
}
;;; STDERR:
prelude_type.kg:7:20: error: expected f32 but got f64 [type-mismatch]
     7 |   y[0] = mix(x[0], d[0], 0.5)
       |                    ^
  fix: convert with f32(...)
