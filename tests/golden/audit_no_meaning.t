;;; TOOL: kgrad audit {src}/examples/layernorm.kg {src}/examples/audit/layernorm_backward.kg -m dy=grad_z
;;; EXIT: 2
;;; STDERR:
kgrad: error: dy cannot stand for grad_z, which the forward kernel does not have [audit-no-meaning]
  fix: its buffers are x, scale, shift, y; the gradient of x is grad_x
