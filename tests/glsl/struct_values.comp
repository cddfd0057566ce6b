#version 450
// Structs and arrays as values: returned, compared, copied whole between memory and locals, chosen by a condition.
//! grid 1
//! buffer 0.0 = 32 * (f32[3] -1..1, f32[4] -1..1, f32 -1..1)
//! buffer 0.1 = f32[256] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
struct Ray { float start[3]; float way[4]; float far; };
layout(std430, binding = 0) readonly buffer A { Ray ray[]; };
layout(std430, binding = 1) writeonly buffer B { Ray turned[]; };

Ray turn(Ray r, float s) {
  for (int k = 0; k < 3; k++) r.start[k] *= s;
  float t = r.way[0];
  r.way[0] = r.way[3];
  r.way[3] = t;
  return r;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  Ray r = ray[i], q = turn(r, 2.0);
  float kept[4] = r.way;
  if (r.far > 0.0) q = turn(q, -0.5);
  q.way[1] += kept[0] * kept[2];
  turned[i] = q;
}
