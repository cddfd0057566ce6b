;;; TOOL: sh -c 'chmod +x glslangValidator; TMPDIR=. PATH=.:$PATH "$KGRAD" grad shader.comp -o shader_grad.spv'
;;; EXIT: 2
;;; ABSENT: *
;;; FILE: shader.comp
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < x.length()) y[i] = SCALE * x[i] * x[i];
}
;;; FILE: glslangValidator
#!/bin/sh
echo "ERROR: shader.comp:7: 'SCALE' : undeclared identifier"
exit 2
;;; STDERR:
ERROR: shader.comp:7: 'SCALE' : undeclared identifier
shader.comp: error: glslangValidator did not compile it [compiler-failed]
  fix: what it says stands above; -D and -I define macros and name folders, and --flag hands on any other flag
