;;; TOOL: kgrad ops --json pow
;;; STDOUT:
{"command":"ops","status":0,"diagnostics":[],"result":{"operations":[{"name":"pow","kind":"value","takes":"f16, f32, f64","operands":2,"exact":false,"commutes":false,"partials":["select(b == 0, 0, b * pow(a, b - 1))","select(a == 0 && b >= 0, 0, y * log(a))"]}],"functions":[]}}
