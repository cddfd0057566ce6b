;;; TOOL: kgrad help ops
;;; STDOUT:
usage: kgrad ops [WORD]

Print the operations, their derivatives, and the functions of the prelude.

With a word: those whose name contains it; exit status 1 if none does.

Columns: the name, how many operands, their types, `exact` where every device
and host gives the same bits, and the derivative by each operand: over the
operands a b c d and the result y, or after `=` over the cotangent g itself.

Then the functions of the prelude, which every kernel may call. They are inlined,
and the file's own function of such a name takes its place. `real` is f16, f32 or
f64, the same throughout a call.

options:
      --json                print one JSON object (kgrad help json)
  -h, --help                print this

examples:
  kgrad ops
  kgrad ops tan
