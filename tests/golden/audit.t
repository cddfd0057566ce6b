;;; TOOL: kgrad audit {src}/examples/layernorm.kg {src}/examples/audit/layernorm_backward.kg -m dy=grad_y -m dx=grad_x -m dscale=grad_scale -m dshift=grad_shift
;;; STDOUT:
grad_x: passed, 256 of 525 entries
grad_scale: passed, 75 of 75 entries; added to what stands there
grad_shift: passed, 75 of 75 entries; added to what stands there
along 4 random directions: passed
passed
