#version 460
// Addresses as numbers that go through variables, arguments, results, structs and loops before pointers are made of them.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
//! target vulkan1.2
//! grid 2
//! address x = f32[64] -1..1
//! address w = f32[64] -1..1
//! address b = f32[64] -1..1
//! address y = f32[64] 0
//! push = x: address, w: address, b: address, y: address, n: u32 60
//! grad y by x
//! grad y by w
//! grad y by b
layout(local_size_x = 32) in;
layout(buffer_reference, std430) readonly buffer In { float v[]; };
layout(buffer_reference, std430) writeonly buffer Out { float v[]; };
layout(push_constant) uniform P { uint64_t x; uvec2 w; uint64_t b; uint64_t y; uint n; };

struct Views { uint64_t first; uvec2 second; uint n; };

float get(uint64_t a, uint i) { return In(a).v[i]; }
float pair(uvec2 a, uint i) { return In(a).v[i]; }
uint64_t itself(uint64_t a, uint i) {
  if (i > 3u) return a;
  return a;
}
float first(Views v, uint i) { return get(v.first, i % v.n) * pair(v.second, i); }
void chosen(inout uint64_t a, out uvec2 c, Views v) { a = v.first; c = v.second; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  Views v;
  v.first = x, v.second = w, v.n = n;
  if (i >= v.n) return;
  uint64_t bias = itself(b, i), again = x;
  uvec2 c;
  chosen(again, c, v);
  float s = first(v, i);
  for (uint k = 0u; k < 3u; k++) {
    uint64_t here = bias;
    s += get(here, (i + k) % n) * pair(c, i);
    bias = b;
  }
  Out(itself(y, i)).v[i] = s + get(again, i);
}
