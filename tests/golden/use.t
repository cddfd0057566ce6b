;;; TOOL: kgrad show {in}
// Functions of other files: each file is read once, sees its own names alone, and passes on its own functions.
use "lib/waves.kg"
use "./lib/../lib/shapes.kg"
program p {
  fn square(x : f32) -> f32 = x
  workgroup 1
  grid      1
  buffer    use : f32[4] read
  buffer    y : f32[4] write
  y[0] = wave(use[0]) + square(use[1])
  y[1] = area(use[2])
}
;;; FILE: lib/waves.kg
use "shapes.kg"
// This relu is of shapes.kg, which goes before the prelude's.
fn wave(x : real) -> real = sin(3.0 * area(x)) + relu(x)
;;; FILE: lib/shapes.kg
use "../common.kg"
fn relu(x : real) -> real = x
fn area(r : real) -> real = square(r) * relu(2)
;;; FILE: common.kg
fn square(x : real) -> real { let y : real = x return y * y }
;;; STDOUT:
program p {
  workgroup 1
  grid      1
  buffer    use : f32[4] read
  buffer    y : f32[4] write

  let use1 = use[0]
  y[0] = sin(3.0 * (use1 * use1 * 2.0)) + use1 + use[1]
  let use2 = use[2]
  y[1] = use2 * use2 * 2.0
}
