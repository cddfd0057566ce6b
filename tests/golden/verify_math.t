;;; TOOL: kgrad verify {in} --math fast --device cpu
program p { workgroup 8 grid invocations n param n : u32 = 8 buffer x : f32[n] read buffer y : f32[n] write
if global_id.x < n { y[global_id.x] = x[global_id.x] * 0.5 + 1.0 } }
;;; STDOUT:
on reference:
grad_x: passed, 8 of 8 entries; worst [0]: 0.196546391, dual 0.196546391, 0 of what is allowed
along 4 random directions: passed; worst: 0.971610494, dual 0.971610494, 0 of what is allowed
passed
on cpu:
grad_x: passed, 8 of 8 entries; worst [0]: 0.196546391, dual 0.196546391, 0 of what is allowed
along 4 random directions: passed; worst: 0.971610494, dual 0.971610494, 0 of what is allowed
passed
ran on reference, cpu
allowed: 2 x 5.96e-08 x 7.93 of the magnitude, and on devices what --math fast may be off besides
passed
