;;; TOOL: kgrad grad shader.comp --of y --wrt x --grid 2,3 --const SIZE=8 --const SQUARE=true --param rows=3 --param cols=16 --param stride=16
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
module shader_grad {
  buffer x : f32[] read view(set 0, binding 0, offset 0, stride 4)
  buffer y : f32[] write view(set 0, binding 1, offset 0, stride 4)
  buffer grad_x : f32[len(x)] write view(set 0, binding 2, offset 0, stride 4)
  buffer grad_y : f32[len(y)] read view(set 0, binding 3, offset 0, stride 4)

  program shader_grad {
    workgroup 8
    grid      2, 3
    buffer    x : f32[] read view(set 0, binding 0, offset 0, stride 4)
    buffer    y : f32[] write view(set 0, binding 1, offset 0, stride 4)
    buffer    grad_x : f32[len(x)] read_write view(set 0, binding 2, offset 0, stride 4)
    buffer    grad_y : f32[len(y)] read view(set 0, binding 3, offset 0, stride 4)

    let t1 = i32(global_id.x)
    let t2 = i32(workgroup_id.y)
    if t2 < 3 && t1 < 16 {
      let t3 = t2 * 16 + t1
      let x1 = x[t3]
      y[t3] = x1 * x1
      let t4 = mulz(grad_y[t3], x1)
      let t5 = t4 + t4
      grad_x[t3] += t5
    }
  }

  program zero_f32 {
    workgroup 256
    buffer    a : f32[] write view(set 0, binding 2, offset 0, stride 4)

    for i in global_id.x .. len(a) step num_workgroups.x * 256 {
      a[i] = 0.0
    }
  }

  run zero_f32(a = grad_x) grid min((len(x) + 255) / 256, 65535)
  run shader_grad
}
