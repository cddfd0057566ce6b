#version 450
// Imaging: exposure, a filmic curve, a matrix of colours, the curve of sRGB, and bytes packed into a word.
//! grid 2
//! buffer 0.0 = f32[256] 0.01..4
//! buffer 0.1 = f32[256] 0
//! buffer 0.2 = u32[64] 0
//! uniform 0.3 = 3 * (mixing: f32[3] 0.1..0.5, pad 4), exposure: f32 0.8, pad 12
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { vec4 light[]; };
layout(binding = 1) writeonly buffer B { vec4 shown[]; };
layout(binding = 2) writeonly buffer C { uint bytes[]; };
layout(std140, binding = 3) uniform U { mat3 mixing; float exposure; } u;

vec3 filmic(vec3 c) { return clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0); }
vec3 srgb(vec3 c) {
  const vec3 low = 12.92 * c, high = 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055;
  return mix(high, low, lessThanEqual(c, vec3(0.0031308)));
}

void main() {
  const uint i = gl_GlobalInvocationID.x;
  const vec4 c = light[i];
  const vec3 r = srgb(filmic(u.mixing * c.rgb * u.exposure));
  shown[i] = vec4(r, c.a);
  uint word = 0u;
  for (int k = 0; k < 3; k++) word |= uint(floor(r[k] * 15.0)) << (8 * k);
  bytes[i] = word;
}
