;;; TOOL: kgrad grad shader.comp --of y --wrt x -o adjoint.kg
;;; EXIT: 1
;;; ABSENT: *
;;; FILE: shader.comp
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
float cut(float v) {
  return uintBitsToFloat(floatBitsToUint(v) & 0xfffff000u);
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  y[i] = cut(x[i]);
}
;;; STDERR:
shader.comp:6: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
     6 |   return uintBitsToFloat(floatBitsToUint(v) & 0xfffff000u);
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
shader.comp:6: error: and works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
     6 |   return uintBitsToFloat(floatBitsToUint(v) & 0xfffff000u);
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
shader.comp:6: error: bitcast works on the bits of a float that lies on the path to an output, and has no derivative [grad-bits]
     6 |   return uintBitsToFloat(floatBitsToUint(v) & 0xfffff000u);
  fix: write it with float operations, such as abs or ldexp, let memory that moves floats be of floats, or cut the path with stop_gradient(...), in a shader with a function kgrad_stop_gradient
