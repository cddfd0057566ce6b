;;; TOOL: kgrad show kinds.comp
;;; EXIT: 1
;;; FILE: kinds.comp
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform C { float gain; uint n; };
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < n) y[i] = gain * x[i];
}
;;; STDERR:
kinds.comp: error: the uniform block C and the buffer X are both at set 0, binding 0, where a host binds one of the two [import-kinds]
  fix: give each a binding of its own; registers of HLSL by dxc's -fvk-t-shift 128 all -fvk-u-shift 256 all, which kgrad does itself of an .hlsl that says vk::binding nowhere, and has no registers past t127
