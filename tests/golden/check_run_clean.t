;;; TOOL: kgrad check --run {in} --param n=13
program p {
  workgroup 4
  grid      invocations n
  param     n : u32
  buffer    y : f32[n] read_write
  if global_id.x < n { y[global_id.x] += 1.0 }
}
;;; STDOUT:
check_run_clean.kg: valid, and ran without a race or misuse
