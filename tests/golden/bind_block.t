;;; TOOL: kgrad check {in}
;;; EXIT: 2
module m {
  buffer a : f32[4] read view(set 0, binding 0, offset 0, stride 8)
  buffer b : f32[4] write view(set 0, binding 1, offset 4, stride 8)
  program step {
    workgroup 4
    grid      1
    buffer    x : f32[4] read view(set 0, binding 0, offset 0, stride 8)
    buffer    y : f32[4] write view(set 0, binding 0, offset 4, stride 8)

    y[local_id.x] = x[local_id.x]
  }
  run step(x = a, y = b)
}
;;; STDERR:
bind_block.kg:12:3: error: y of step shares its binding with other views than the module's view does, to which it is bound [bind-block]
    12 |   run step(x = a, y = b)
       |   ^
  fix: bind views of one binding to views of one binding
