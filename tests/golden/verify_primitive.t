;;; TOOL: kgrad prim softmax -o s.kg
;;; TOOL: kgrad verify s.kg
;;; STDOUT:
grad_x: passed, 256 of 300 entries; worst [56]: -0.0055149137, dual -0.00551491443, 0.0045 of what is allowed
along 4 random directions: passed; worst: -0.00381998053, dual -0.00381997637, 0.00014 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 171 of the magnitude
passed
