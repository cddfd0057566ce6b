;;; TOOL: kgrad ops tanh
;;; STDOUT:
tanh                     1  f16, f32, f64                    1 - y * y
atanh                    1  f16, f32, f64                    1 / ((1 - a) * (1 + a))
