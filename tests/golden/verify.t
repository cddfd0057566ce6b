;;; TOOL: kgrad verify {src}/examples/saxpy.kg
;;; STDOUT:
grad_x: passed, 256 of 1000 entries; worst [334]: -2.00521517, dual -2.00521529, 0.0059 of what is allowed
grad_y: passed, 256 of 1000 entries; worst [0]: 0.393092781, dual 0.393092781, 0 of what is allowed
along 4 random directions: passed; worst: 4.60723075, dual 4.6072319, 0.00012 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 85 of the magnitude
passed
