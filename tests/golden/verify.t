;;; TOOL: kgrad verify {src}/examples/saxpy.kg
;;; STDOUT:
grad_x: passed, 256 of 1000 entries; worst [82]: 2.00554895, dual 2.00554907, 0.0059 of what is allowed
grad_y: passed, 256 of 1000 entries; worst [0]: 0.393092781, dual 0.393092781, 0 of what is allowed
along a random direction: passed; 27.7651899, dual 27.7651892, 7.9e-05 of what is allowed
allowed: 2 x 5.96e-08 x 85 of the magnitude
passed
