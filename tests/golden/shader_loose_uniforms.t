;;; TOOL: kgrad show step.comp
;;; FILE: step.comp
#version 430
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Positions { vec4 pos[]; };
layout(std430, binding = 1) readonly buffer Velocities { vec4 vel[]; };
uniform float dt;
uniform vec3 wind;
void main() {
  uint i = gl_GlobalInvocationID.x;
  pos[i].x += (vel[i].x + wind.y) * dt;
}
;;; STDOUT:
program step {
  workgroup 64
  grid      groups_x
  param     dt : f32 view(set 0, binding 2, offset 0)
  param     wind_y : f32 view(set 0, binding 2, offset 20)
  param     groups_x : u32
  buffer    pos : f32[] read_write
  buffer    vel : f32[] read

  let t1 = global_id.x * 4
  pos[t1] += (vel[t1] + wind_y) * dt
}
