;;; TOOL: sh -c 'PATH=/none; "$KGRAD" show shader.comp'
;;; EXIT: 2
;;; FILE: shader.comp
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < x.length()) y[i] = SCALE * x[i] * x[i];
}
;;; STDERR:
shader.comp: error: no compiler of GLSL is installed [no-compiler]
  fix: install glslangValidator or glslc (Debian: glslang-tools, glslc), or give the SPIR-V that another machine made of it
