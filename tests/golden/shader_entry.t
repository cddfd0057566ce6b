;;; TOOL: kgrad show shader.comp -D SCALE=3.0 --entry other
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
shader.comp: error: 0 compute entry points are named other, where there must be one [import-entry]
  fix: name one of those there are, with --entry or kg_spirv_import_params.entry: main
