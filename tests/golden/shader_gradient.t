;;; TOOL: kgrad grad shader.comp -D SCALE=3.0 --of y --wrt x
;;; FILE: shader.comp
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < x.length()) y[i] = SCALE * x[i] * x[i];
}
;;; STDOUT:
module shader_grad {
  param  groups_x : u32
  buffer x : f32[] read view(set 0, binding 0, offset 0, stride 4)
  buffer y : f32[] write view(set 0, binding 1, offset 0, stride 4)
  buffer grad_x : f32[len(x)] write view(set 0, binding 2, offset 0, stride 4)
  buffer grad_y : f32[len(y)] read view(set 0, binding 3, offset 0, stride 4)

  program shader_grad {
    workgroup 64
    grid      groups_x
    param     groups_x : u32
    buffer    x : f32[] read view(set 0, binding 0, offset 0, stride 4)
    buffer    y : f32[] write view(set 0, binding 1, offset 0, stride 4)
    buffer    grad_x : f32[len(x)] read_write view(set 0, binding 2, offset 0, stride 4)
    buffer    grad_y : f32[len(y)] read view(set 0, binding 3, offset 0, stride 4)

    if global_id.x < u32(i32(len(x))) {
      let x1 = x[global_id.x]
      let t1 = 3.0 * x1
      y[global_id.x] = t1 * x1
      let grad_y1 = grad_y[global_id.x]
      let t2 = mulz(grad_y1, x1)
      grad_x[global_id.x] = mulz(grad_y1, t1) + t2 * 3.0
    }
  }

  program zero_from_f32 {
    workgroup 256
    param     from : u32
    buffer    a : f32[] read_write view(set 0, binding 2, offset 0, stride 4)

    let t1 = min(from, len(a))
    for i in global_id.x .. len(a) - t1 step num_workgroups.x * 256 {
      a[t1 + i] = 0.0
    }
  }

  run zero_from_f32(a = grad_x, from = min(len(x), groups_x * 64)) grid min((len(x) - min(min(len(x), groups_x * 64), len(x)) + 255) / 256, 65535)
  run shader_grad
}
