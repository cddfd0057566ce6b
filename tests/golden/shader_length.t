;;; TOOL: kgrad show shader.comp
;;; EXIT: 1
;;; FILE: shader.comp
#version 450
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint LOGN = 5;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
shared float s[1u << LOGN];
void main() {
  s[gl_LocalInvocationID.x] = x[gl_GlobalInvocationID.x];
  barrier();
  y[gl_GlobalInvocationID.x] = s[31u - gl_LocalInvocationID.x];
}
;;; STDERR:
shader.comp: error: OpShiftLeftLogical at word 168: the length of an array is made of it, which no length shows while LOGN is not known [import-length]
  fix: say what the constant is, with --const LOGN=VALUE or kg_spirv_import_params.facts
