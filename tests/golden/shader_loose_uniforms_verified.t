;;; TOOL: kgrad verify step.comp --of pos --wrt vel --grid 1 --param dt=0.25 --param wind_y=2
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
grad_vel: passed, 100 of 100 entries; worst [0]: -0.109330542, dual -0.109330542, 0 of what is allowed
along 4 random directions: passed; worst: -0.537230638, dual -0.537230638, 0 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 22.2 of the magnitude
passed
