;;; TOOL: kgrad verify {in} --differences
// |x| has a kink, which differences see only from afar; a cut gradient is a convention that they know nothing of.
program kinks {
  workgroup 8
  param     n : u32 = 8
  grid      invocations n
  buffer    x : f32[n] read
  buffer    z : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = abs(x[i]) * x[i] + sin(3.0 * x[i]) + z[i] + z[i] * stop_gradient(z[i]) }
}
;;; STDOUT:
grad_x: passed, 8 of 8 entries; worst [0]: 1.14414108, dual 1.14414119, 0.06 of what is allowed
grad_z: passed, 8 of 8 entries; worst [4]: -0.89368391, dual -0.893683949, 0.028 of what is allowed
along 4 random directions: passed; worst: -1.40907283, dual -1.40907303, 0.01 of what is allowed
grad_x by finite differences: 8 agree, 0 cannot tell, 0 disagree
grad_z by finite differences: 0 agree, 0 cannot tell, 8 disagree; worst [3]: 0.580211925 +- 0.00014, dual -0.120866981
ran on reference
allowed: 2 x 5.96e-08 x 13 of the magnitude
passed
