;;; TOOL: kgrad show {in}
// A step of descent whose gradient is made of a file's kernel, which uses functions and another file itself.
module step {
  param  n : u32 = 4
  buffer x : f32[n] read_write
  buffer y : f32[n] temp
  buffer g : f32[n] read
  buffer grad_x : f32[n] temp
  use gradient "lib/square.kg" (of y, wrt x) as back
  program update {
    workgroup 1
    grid len(x)
    buffer x : f32[] read_write
    buffer grad_x : f32[] read
    x[global_id.x] -= 0.1 * grad_x[global_id.x]
  }
  run back(grad_y = g)
  run update
}
;;; FILE: lib/square.kg
module square {
  param n : u32
  buffer x : f32[n] read
  buffer y : f32[n] write
  use "one.kg" as one
  run one
}
;;; FILE: lib/one.kg
use "../functions.kg"
program one {
  workgroup 1
  grid n
  param n : u32
  buffer x : f32[n] read
  buffer y : f32[n] write
  y[global_id.x] = square(x[global_id.x])
}
;;; FILE: functions.kg
fn square(x : f32) -> f32 = x * x
;;; STDOUT:
module step {
  param  n : u32 = 4
  buffer x : f32[n] read_write
  buffer y : f32[n] temp
  buffer g : f32[n] read
  buffer grad_x : f32[n] temp

  program back {
    workgroup 1
    grid      n
    param     n : u32
    buffer    x : f32[n] read
    buffer    y : f32[n] write
    buffer    grad_x : f32[n] write
    buffer    grad_y : f32[n] read

    let x1 = x[global_id.x]
    y[global_id.x] = x1 * x1
    let t1 = mulz(grad_y[global_id.x], x1)
    grad_x[global_id.x] = t1 + t1
  }

  program update {
    workgroup 1
    grid      len(x)
    buffer    x : f32[] read_write
    buffer    grad_x : f32[] read

    x[global_id.x] -= 0.1 * grad_x[global_id.x]
  }

  run back(grad_y = g)
  run update
}
