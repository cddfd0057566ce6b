#version 450
// An array of structs inside of an array of structs, with a number of another type behind it: the inner elements are rows, which lie
// between those numbers.
//! grid 3
//! buffer 0.0 = 20 * (3 * (f32[3] -1..1, f32 0.5..2), u32 0..3, pad 12)
//! buffer 0.1 = f32[24] 0
//! grad 0.1 by 0.0
//! no_tape 0.1 by 0.0
layout(local_size_x = 8) in;
struct Vertex { vec3 p; float w; };
struct Tri { Vertex v[3]; int material; };
layout(std430, binding = 0) readonly buffer A { Tri tri[]; };
layout(std430, binding = 1) writeonly buffer B { float o[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= 20u) return;
  float s = 0.0;
  for (int k = 0; k < 3; k++) s += tri[i].v[k].p.x * tri[i].v[k].w * tri[i].v[(k + 1) % 3].p.y;
  o[i] = s * (1.0 + float(tri[i].material)) + tri[i].v[tri[i].material % 3].p.z;
}
