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
;;; STDERR:
shader.comp: error: the SPIR-V is malformed at word 0: no whole words behind a header [import-malformed]
  fix: compile the shader again, with another compiler if need be
