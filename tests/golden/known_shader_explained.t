;;; TOOL: kgrad grad shader.comp --of y --wrt x --explain -o adjoint.kg
;;; FILE: shader.comp
#version 450
layout(local_size_x_id = 1, local_size_y = 1) in;
layout(constant_id = 1) const uint SIZE = 4u;
layout(constant_id = 7) const bool SQUARE = true;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { int rows; int cols; int stride; };
void main() {
  int j = int(gl_GlobalInvocationID.x), i = int(gl_WorkGroupID.y);
  if (i >= rows || j >= cols) return;
  float v = x[i * stride + j];
  y[i * stride + j] = SQUARE ? v * v : v * float(gl_NumWorkGroups.y);
}
;;; STDERR:
grad_x: gradient of x; invocations add to it atomically
grad_y: cotangent of y; it is only read
run of shader: forward and reverse in one program; active: x, y, var v
  line 12: convert: recomputed in the reverse of line 12
  shadow of x: added to atomically: an invocation of another workgroup may load the same element in line 11
grid: not known: groups_x, groups_y; what is said here holds of every grid
what would help in the run of shader, with --param or --grid:
  shadow of x: with groups_x = 1 and groups_y = 1 known it would be added to by one invocation
