;;; TOOL: kgrad grad {in} --of y --wrt x
;;; EXIT: 1
// One workgroup by the program's own grid, two by both of its runs: the load may see what the other one added.
module twice {
  buffer x : f32[8] read
  buffer c : f32[1] read_write
  buffer d : f32[1] read_write
  buffer y : f32[8] write
  buffer z : f32[8] write
  program k {
    workgroup 4
    grid 1
    buffer x : f32[8] read
    buffer c : f32[1] read_write
    buffer y : f32[8] write
    let i = global_id.x
    let before = atomic_load(c[0])
    y[i] = 2.0 * before + x[i]
    barrier
    atomic_add(c[0], x[i])
  }
  run k grid 2
  run k(c = d, y = z) grid 2
}
;;; STDERR:
grad_grids_of_two_runs.kg:15:18: error: atomic_load on c, which lies on the path to an output, has no adjoint where other invocations may touch the element before the next barrier [grad-atomic]
    15 |     let before = atomic_load(c[0])
       |                  ^
  fix: use atomic_add, or give each invocation an element of its own, or cut the path with stop_gradient(...)
