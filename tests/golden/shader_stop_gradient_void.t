;;; TOOL: kgrad show shader.comp
;;; EXIT: 1
;;; FILE: shader.comp
#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer X { float x[]; };
void kgrad_stop_gradient(inout float v) { }
void main() {
  float v = x[gl_GlobalInvocationID.x];
  kgrad_stop_gradient(v);
  x[gl_GlobalInvocationID.x] = v * v;
}
;;; STDERR:
shader.comp: error: OpFunctionCall at word 238, shader.comp:7: kgrad_stop_gradient cuts what it returns, and one that returns nothing is not supported [import-refused]
  fix: write the shader without it, or run its part of the work on its own
