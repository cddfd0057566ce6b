;;; TOOL: kgrad show shader.comp --grid 2,3 --const 1=8 --const SQUARE=false --param rows=3 --param stride=16
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
;;; STDOUT:
program shader {
  workgroup 8
  grid      2, 3
  param     cols : i32 view(offset 4)
  buffer    x : f32[] read
  buffer    y : f32[] write

  let t1 = i32(global_id.x)
  let t2 = i32(workgroup_id.y)
  if t2 < 3 && t1 < cols {
    let t3 = t2 * 16 + t1
    y[t3] = x[t3] * 3.0
  }
}
