#version 450
// Graphics: rays through a grid of densities and colours, trilinear samples, an early end by transmittance.
//! grid 1
//! buffer 0.0 = f32[128] 0..2
//! buffer 0.1 = f32[32] 0
//! push = steps: u32 12, size: f32 0.25
//! grad 0.1 by 0.0
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer V { vec2 voxel[4][4][4]; };
layout(binding = 1) writeonly buffer R { vec2 result[]; };
layout(push_constant) uniform P { uint steps; float size; } p;

vec2 sampled(vec3 at) {
  const vec3 low = clamp(floor(at), vec3(0.0), vec3(2.0)), f = clamp(at - low, 0.0, 1.0);
  const ivec3 c = ivec3(low);
  vec2 r = vec2(0.0);
  for (int k = 0; k < 8; k++) {
    const ivec3 o = ivec3(k & 1, k >> 1 & 1, k >> 2);
    const vec3 w = mix(1.0 - f, f, vec3(o));
    r += w.x * w.y * w.z * voxel[c.z + o.z][c.y + o.y][c.x + o.x];
  }
  return r;
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const vec3 start = vec3(float(i & 3u) + 0.25, float(i >> 2) * 0.75 + 0.1, 0.05), way = normalize(vec3(0.1, 0.05, 1.0));
  float left = 1.0, light = 0.0;
  for (uint k = 0u; k < p.steps; k++) {
    const vec2 v = sampled(start + way * (float(k) + 0.5) * p.size);
    const float alpha = 1.0 - exp(-v.x * p.size);
    light += left * alpha * v.y;
    left *= 1.0 - alpha;
    if (left < 0.05) break;
  }
  result[i] = vec2(light, left);
}
