#version 450
// GLSL.std.450: length, distance, normalize, cross, reflect, fma.
//! grid 1
//! buffer 0.0 = 32 * (f32[3] 0.2..1, pad 4, f32[3] -1..-0.2, pad 4)
//! buffer 0.1 = f32[768] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec3 x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };

void put(uint at, vec3 v) { for (int k = 0; k < 3; k++) y[at + uint(k)] = v[k]; }

void main() {
  uint i = gl_GlobalInvocationID.x, at = 24u * i;
  vec3 a = x[2u * i], b = x[2u * i + 1u];
  put(at, normalize(a));
  put(at + 3u, cross(a, b));
  put(at + 6u, reflect(a, normalize(b)));
  put(at + 9u, cross(normalize(b), a) * 0.7);
  put(at + 12u, length(a.zx) * b);
  put(at + 15u, fma(a, b, vec3(0.5)));
  y[at + 18u] = length(a);
  y[at + 19u] = distance(a, b);
  y[at + 20u] = length(a.xy) + dot(a, b);
  y[at + 21u] = distance(a.x, b.y);
  y[at + 22u] = normalize(b.xz).y;
  y[at + 23u] = reflect(a.xy, normalize(b.xy)).x;
}
