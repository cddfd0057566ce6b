;;; TOOL: kgrad audit {src}/examples/layernorm.kg {src}/examples/audit/layernorm_backward.kg -m dy=grad_y -m dx=grad_x --param other:n_cols=3
;;; EXIT: 2
;;; STDERR:
kgrad: error: there is no backward file other [audit-no-file]
  fix: they are layernorm_backward
