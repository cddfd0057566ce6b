#version 450
// Inverses, determinants, outer products; reflection and refraction; inout structs.
//! grid 1
//! buffer 0.0 = f32[288] -1..1
//! buffer 0.1 = f32[384] 0
//! buffer 0.2 = f32[96] -1..1
//! grad 0.1 by 0.0 0.2
//! near 0.1 1e-4
layout(local_size_x = 32) in;
layout(binding = 0, std430) readonly buffer X { float x[]; };
layout(binding = 1, std430) writeonly buffer Y { float y[]; };
layout(binding = 2, std430) readonly buffer V { float w[]; };
struct Ray { vec3 o; vec3 d; };
mat3 load(uint i) { mat3 m; for (int c = 0; c < 3; c++) for (int r = 0; r < 3; r++) m[c][r] = x[9 * i + 3 * c + r]; return m + mat3(2.5); }
void bounce(inout Ray r, in vec3 n, out float k) { r.d = reflect(r.d, n); k = dot(r.d, n); r.o += 0.1 * r.d; }
void main() {
  uint i = gl_GlobalInvocationID.x;
  mat3 m = load(i);
  vec3 v = vec3(w[3 * i], w[3 * i + 1], w[3 * i + 2]);
  mat3 n = inverse(m);
  float d = determinant(m);
  mat3 o = outerProduct(v, n * v);
  mat3 t = transpose(m) * o + matrixCompMult(m, n);
  Ray r = Ray(v, normalize(v + vec3(2.0)));
  float k;
  bounce(r, normalize(vec3(1.0, v.yz)), k);
  vec3 q = refract(r.d, normalize(vec3(-1.0, -0.5, v.x)), 0.8);
  for (int c = 0; c < 3; c++) for (int s = 0; s < 3; s++) y[12 * i + 3 * c + s] = t[c][s] * k;
  y[12 * i + 9] = d;
  y[12 * i + 10] = dot(q, r.o) + length(cross(v, r.d)) + distance(v, q);
  y[12 * i + 11] = dot(faceforward(r.d, v, q), v.zyx);
}
