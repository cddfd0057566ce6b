;;; TOOL: kgrad check {in}
;;; EXIT: 2
program down {
  workgroup 64
  grid      1
  param     n : u32 = 3
  buffer    y : f32[64] write
  var s = 0.0
  for k in 0 .. n step 0 { s += 1.0 }
  y[global_id.x] = s
}
;;; STDERR:
literal_step_zero.kg:7:24: error: a for takes no trips with a step that is not at least 1 [literal-step]
     7 |   for k in 0 .. n step 0 { s += 1.0 }
       |                        ^
  fix: state the lower bound first and a step of at least 1; behind it, `reversed` counts down: 0 .. 10 step 1 reversed
