;;; TOOL: kgrad check --run {in}
// 20 invocations for 18 elements, and a neighbour that the first has not.
program differ {
  workgroup 4
  grid      invocations 20
  buffer    x : f32[18] read
  buffer    y : f32[18] write
  let i = i32(global_id.x)
  y[i] = x[i] - x[i - 1]
}
;;; STDOUT:
check_run_out_of_bounds.kg: out of bounds: 4 loads, which gave 0, and 2 stores, which were dropped
;;; STDERR:
check_run_out_of_bounds.kg:8:17: warning: x[-1] is read here by invocation 0 of workgroup 0, and x has 18 elements; 2 such accesses in all [out-of-bounds]
     8 |   y[i] = x[i] - x[i - 1]
       |                 ^
  fix: put it under an `if`: outside, a load gives 0 and a store is dropped
check_run_out_of_bounds.kg:8:10: warning: x[18] is read here by invocation 2 of workgroup 4, and x has 18 elements; 2 such accesses in all [out-of-bounds]
     8 |   y[i] = x[i] - x[i - 1]
       |          ^
  fix: put it under an `if`: outside, a load gives 0 and a store is dropped
check_run_out_of_bounds.kg:8:3: warning: y[18] is written here by invocation 2 of workgroup 4, and y has 18 elements; 2 such accesses in all [out-of-bounds]
     8 |   y[i] = x[i] - x[i - 1]
       |   ^
  fix: put it under an `if`: outside, a load gives 0 and a store is dropped
