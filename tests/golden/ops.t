;;; TOOL: kgrad ops tanh
;;; STDOUT:
tanh                     1  f16, f32, f64                    (2 * exp(-abs(a)) / (1 + exp(-abs(a)) * exp(-abs(a)))) * (2 * exp(-abs(a)) / (1 + exp(-abs(a)) * exp(-abs(a))))
atanh                    1  f16, f32, f64                    1 / ((1 - a) * (1 + a))
