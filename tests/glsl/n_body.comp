#version 450
// Simulation: gravity of all bodies, in tiles of shared memory; position and mass are a vec4.
//! grid 2
//! buffer 0.0 = 64 * (f32[3] -1..1, f32 0.5..1)
//! buffer 0.1 = 64 * (f32[3] -0.1..0.1, f32 0)
//! buffer 0.2 = f32[256] 0
//! push = dt: f32 0.01, softening: f32 0.05, n: u32 60
//! grad 0.2 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer P { vec4 position[]; };
layout(binding = 1) buffer V { vec4 velocity[]; };
layout(binding = 2) writeonly buffer N { vec4 next[]; };
layout(push_constant) uniform U { float dt; float softening; uint n; } u;
shared vec4 tile[32];

vec3 pull(vec4 a, vec4 b) {
  const vec3 d = b.xyz - a.xyz;
  const float inverse = inversesqrt(dot(d, d) + u.softening);
  return d * (b.w * inverse * inverse * inverse);
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const vec4 own = position[min(i, u.n - 1u)];
  vec3 force = vec3(0.0);
  for (uint start = 0u; start < u.n; start += gl_WorkGroupSize.x) {
    const uint k = start + gl_LocalInvocationIndex;
    tile[gl_LocalInvocationIndex] = k < u.n ? position[k] : vec4(0.0);
    barrier();
    for (uint j = 0u; j < gl_WorkGroupSize.x; j++) force += pull(own, tile[j]);
    barrier();
  }
  if (i >= u.n) return;
  velocity[i].xyz += force * u.dt;
  next[i] = vec4(own.xyz + velocity[i].xyz * u.dt, own.w);
}
