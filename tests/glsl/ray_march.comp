#version 450
// Rendering: spheres that melt into each other, found by marching along rays, with normals by differences.
//! grid 1
//! buffer 0.0 = f32[40] 0.5..1.5
//! buffer 0.1 = f32[192] 0
//! uniform 0.2 = time: f32 0.7, steps: i32 24, pad 8
//! grad 0.1 by 0.0
//! near 0.1 1e-3
layout(local_size_x = 8, local_size_y = 8) in;
struct Sphere { vec3 c; float r; };
layout(std140, binding = 0) readonly buffer S { Sphere sp[4]; vec4 tint[6]; };
layout(std430, binding = 1) writeonly buffer O { float o[]; };
layout(std140, binding = 2) uniform U { float time; int steps; } u;
float smin(float a, float b, float k) { float h = max(k - abs(a - b), 0.0) / k; return min(a, b) - h * h * k * 0.25; }
mat2 rot(float a) { float c = cos(a), s = sin(a); return mat2(c, -s, s, c); }
float map(vec3 p) {
  p.xz *= rot(u.time * 0.1);
  float d = 1e3;
  for (int k = 0; k < 4; k++) d = smin(d, length(p - (sp[k].c - 1.0) * vec3(2, 1.5, 1)) - sp[k].r * 0.5, 0.3);
  return d;
}
vec3 normal(vec3 p) {
  vec2 e = vec2(1e-2, 0);
  return normalize(vec3(map(p + e.xyy) - map(p - e.xyy), map(p + e.yxy) - map(p - e.yxy), map(p + e.yyx) - map(p - e.yyx)));
}
bool march(vec3 ro, vec3 rd, out float t, inout int used) {
  t = 0.0;
  for (int i = 0; i < u.steps; i++) {
    float d = map(ro + rd * t);
    used = i;
    if (d < 2e-2) return true;
    t += d;
    if (t > 6.0) break;
  }
  return false;
}
void main() {
  uvec2 id = gl_GlobalInvocationID.xy;
  vec2 uv = (vec2(id) - 3.5) / 8.0;
  vec3 ro = vec3(0, 0, -3), rd = normalize(vec3(uv, 1.2)), col = vec3(0.1) + uv.y * tint[5].xyz;
  float t; int used = 0;
  if (march(ro, rd, t, used)) {
    vec3 n = normal(ro + rd * t);
    col = tint[used % 5].rgb * (0.3 + 0.7 * max(dot(n, normalize(vec3(1, 1, -1))), 0.0)) * exp(-0.1 * t);
  }
  for (int k = 0; k < 3; k++) o[3u * (id.y * 8u + id.x) + uint(k)] = pow(col[k], 0.4545);
}
