;;; TOOL: kgrad grad shader.comp --of y --wrt x
;;; FILE: shader.comp
#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
uint kgrad_stop_gradient(uint bits) { return bits; }
vec2 kgrad_stop_gradient(vec2 v) { return v; }
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint h = kgrad_stop_gradient(floatBitsToUint(x[i]));
  h = (h ^ (h >> 16)) * 747796405u;
  vec2 v = kgrad_stop_gradient(vec2(x[i], 2.0 * x[i]));
  y[i] = x[i] * (float(h) / 4294967295.0) + v.y * x[i] * x[i];
}
;;; STDOUT:
module shader_grad {
  param  groups_x : u32
  buffer x : f32[] read view(set 0, binding 0, offset 0, stride 4)
  buffer y : f32[] write view(set 0, binding 1, offset 0, stride 4)
  buffer grad_x : f32[len(x)] write view(set 0, binding 2, offset 0, stride 4)
  buffer grad_y : f32[len(y)] read view(set 0, binding 3, offset 0, stride 4)

  program shader_grad {
    workgroup 8
    grid      groups_x
    param     groups_x : u32
    buffer    x : f32[] read view(set 0, binding 0, offset 0, stride 4)
    buffer    y : f32[] write view(set 0, binding 1, offset 0, stride 4)
    buffer    grad_x : f32[len(x)] read_write view(set 0, binding 2, offset 0, stride 4)
    buffer    grad_y : f32[len(y)] read view(set 0, binding 3, offset 0, stride 4)

    let x1 = x[global_id.x]
    let t1 = stop_gradient(bitcast_u32(x1))
    let t2 = f32((t1 ^ t1 >> 16) * 747796405) / 4294967300.0
    let t3 = x1 * t2
    let t4 = stop_gradient(2.0 * x1)
    let t5 = t4 * x1
    y[global_id.x] = t3 + t5 * x1
    let grad_y1 = grad_y[global_id.x]
    let t6 = mulz(grad_y1, x1)
    grad_x[global_id.x] = mulz(grad_y1, t5) + mulz(t6, t4) + mulz(grad_y1, t2)
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

  run zero_from_f32(a = grad_x, from = groups_x * 8) grid min((len(x) - min(groups_x * 8, len(x)) + 255) / 256, 65535)
  run shader_grad
}
