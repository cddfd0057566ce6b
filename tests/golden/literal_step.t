;;; TOOL: kgrad check {in}
;;; EXIT: 2
program down {
  workgroup 64
  grid      1
  buffer    y : f32[64] write
  var s = 0.0
  for k in 10 .. 0 step -1 { s += 1.0 }
  y[global_id.x] = s
}
;;; STDERR:
literal_step.kg:6:25: error: a for takes no trips with a step that is not at least 1 [literal-step]
     6 |   for k in 10 .. 0 step -1 { s += 1.0 }
       |                         ^
  fix: state the lower bound first and a step of at least 1; behind it, `reversed` counts down: 0 .. 10 step 1 reversed
