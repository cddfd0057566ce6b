;;; TOOL: kgrad grad {in} -o orbit.kg
;;; TOOL: kgrad run orbit.kg --const G=3 --in x=zeros --in grad_x=zeros --device reference
;;; EXIT: 1
program orbit {
  const G = 2
  workgroup 4
  grid G
  param steps : u32 = 3
  buffer x : f32[12] read_write
  let g = global_id.x
  var v = x[g]
  for k in 0 .. steps { v = v * 3.9 * (1.0 - v) }
  x[g] = v
}
;;; STDERR:
orbit.kg:18:5: error: assertion failed: the gradient keeps values of fewer invocations: fix the constant when it is made, as by --const [assert-failed]
    18 |     assert num_workgroups.x * workgroup_size.x <= tape_lanes "the gradient keeps values of fewer inv
       |     ^
  fix: pass values for which it holds, or change the kernel
