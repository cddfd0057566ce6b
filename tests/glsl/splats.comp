#version 450
// Graphics: Gaussian splats blended front to back over pixels, in batches of shared memory, with early ends.
//! grid 2,2
//! buffer 0.0 = 20 * (f32[2] 2..14, f32[3] 0.05..0.2, f32 0.2..0.9, f32[3] 0..1, f32 0)
//! buffer 0.1 = f32[1024] 0
//! push = w: u32 16, h: u32 16, count: u32 20
//! grad 0.1 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
struct Splat { float x, y, a, b, c, opacity, red, green, blue, spare; };
layout(std430, binding = 0) readonly buffer S { Splat splat[]; };
layout(std430, binding = 1) writeonly buffer I { vec4 image[]; };
layout(push_constant) uniform P { uint w, h, count; } p;
const uint BATCH = 8u;
shared Splat batch[BATCH];

void main() {
  const uvec2 g = gl_GlobalInvocationID.xy;
  const vec2 at = vec2(g) + 0.5;
  vec3 colour = vec3(0.0);
  float left = 1.0;
  bool done = false;
  for (uint start = 0u; start < p.count; start += BATCH) {
    barrier();
    const uint k = start + gl_LocalInvocationIndex;
    if (gl_LocalInvocationIndex < BATCH && k < p.count) batch[gl_LocalInvocationIndex] = splat[k];
    barrier();
    const uint n = min(BATCH, p.count - start);
    for (uint j = 0u; !done && j < n; j++) {
      const vec2 d = vec2(batch[j].x, batch[j].y) - at;
      const float power = -0.5 * (batch[j].a * d.x * d.x + batch[j].c * d.y * d.y) - 0.25 * batch[j].b * d.x * d.y;
      if (power > 0.0) continue;
      const float alpha = min(0.99, batch[j].opacity * exp(power));
      if (alpha < 1.0 / 255.0) continue;
      const float next = left * (1.0 - alpha);
      if (next < 0.02) {
        done = true;
        continue;
      }
      colour += vec3(batch[j].red, batch[j].green, batch[j].blue) * alpha * left;
      left = next;
    }
  }
  if (g.x < p.w && g.y < p.h) image[g.y * p.w + g.x] = vec4(colour + left * vec3(0.1), 1.0 - left);
}
