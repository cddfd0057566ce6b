;;; TOOL: kgrad prim matmul --param transpose_a=1 -o product.kg
;;; TOOL: kgrad check product.kg
;;; STDOUT: *
