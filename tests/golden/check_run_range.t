;;; TOOL: kgrad run ramp.kg --out y=a.npy
;;; TOOL: kgrad check --run {in} --in k=a.npy --json
;;; EXIT: 1
program p {
  workgroup 4
  grid      1
  buffer    k : u32[4] read in 0 .. 3
  buffer    y : f32[4] write
  y[k[local_id.x]] = 1.0
}
;;; FILE: ramp.kg
program ramp {
  workgroup 4
  grid      1
  buffer    y : u32[4] write
  y[global_id.x] = global_id.x
}
;;; STDOUT:
{"command":"check","status":1,"diagnostics":[{"id":"out-of-range","severity":"error","file":"check_run_range.kg","line":4,"column":13,"message":"k[3] lies outside of the declared range of k","fix":"pass values in the range, or declare another"}],"result":{"files":[{"file":"check_run_range.kg","valid":true,"verdict":"misuse","races":0,"uninitialised_reads":0,"values_out_of_range":1,"out_of_bounds_loads":0,"out_of_bounds_stores":0,"lane_instructions":8}]}}
