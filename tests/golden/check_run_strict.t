;;; TOOL: kgrad check --run --strict --json {in}
;;; EXIT: 1
// Atomics and vars count too; the second bin of 40 does not exist.
program bins {
  workgroup 4
  grid      1
  buffer    x : u32[4] read in 1 .. 2
  buffer    count : u32[1] read_write in 0 .. 1
  var last : u32[2]
  atomic_add(count[40 * x[local_id.x]], 1)
  last[x[local_id.x] + 1] = 1
}
;;; STDOUT:
{"command":"check","status":1,"diagnostics":[{"id":"out-of-bounds","severity":"error","file":"check_run_strict.kg","line":8,"column":3,"message":"count[40] is changed atomically here by invocation 0 of workgroup 0, and count has 1 elements; 4 such accesses in all","fix":"put it under an `if`: outside, a load gives 0 and a store is dropped"},{"id":"out-of-bounds","severity":"error","file":"check_run_strict.kg","line":9,"column":3,"message":"last[2] is written here by invocation 0 of workgroup 0, and last has 2 elements; 4 such accesses in all","fix":"put it under an `if`: outside, a load gives 0 and a store is dropped"}],"result":{"files":[{"file":"check_run_strict.kg","valid":true,"verdict":"out-of-bounds","races":0,"uninitialised_reads":0,"values_out_of_range":0,"out_of_bounds_loads":0,"out_of_bounds_stores":8,"lane_instructions":28}]}}
