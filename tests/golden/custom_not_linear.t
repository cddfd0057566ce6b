;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 1
  grid 1
  fn f(a : f32) -> f32 {
    return a * a
  }
  pullback(g) {
    let h = clamp(g, -1.0, 1.0)
    return h * 2.0 * a
  }
}
;;; STDERR:
custom_not_linear.kg:9:12: error: this pullback is not linear in the cotangent, as far as its operations tell [custom-not-linear]
     9 |     return h * 2.0 * a
       |            ^
  fix: add up products of the cotangent with what does not depend on the cotangent; min, max and comparisons belong to the latter
