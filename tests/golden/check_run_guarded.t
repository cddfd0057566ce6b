;;; TOOL: kgrad check --run --strict {in}
// What the fix of out-of-bounds asks for.
program differ {
  workgroup 4
  grid      invocations 20
  buffer    x : f32[18] read
  buffer    y : f32[18] write
  let i = i32(global_id.x)
  if i < 18 {
    if i > 0 { y[i] = x[i] - x[i - 1] }
  }
}
;;; STDOUT:
check_run_guarded.kg: valid, and ran without a race or misuse
