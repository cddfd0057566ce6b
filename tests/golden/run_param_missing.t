;;; TOOL: kgrad run {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
  param     n : u32
  buffer    y : f32[n] write
  y[0] = 1.0
}
;;; STDERR:
run_param_missing.kg:4:13: error: param n has no value [param-missing]
     4 |   param     n : u32
       |             ^
  fix: give it one, as in --param n=VALUE, or an array whose length it is
