;;; TOOL: kgrad audit {src}/examples/layernorm.kg {src}/examples/audit/layernorm_backward_wrong.kg -m dy=grad_y -m dx=grad_x -m dscale=grad_scale -m dshift=grad_shift --wrong 2
;;; EXIT: 1
;;; STDOUT:
grad_x: FAILED, 256 of 525 entries, 256 wrong
  grad_x[521]: is 0.125483304, must be -0.14026834; x[521] is 0.112639964
  grad_x[10]: is -0.103098251, must be -0.484143458; x[10] is 0.896455228
grad_scale: passed, 75 of 75 entries; added to what stands there
grad_shift: passed, 75 of 75 entries; added to what stands there
along 4 random directions: FAILED
FAILED
