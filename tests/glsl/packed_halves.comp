#version 450
// Halves in words: rounded by packing and unpacking, and a tile of packed halves in workgroup memory; one whose words are used stays words.
//! grid 2
//! buffer 0.0 = f32[128] -2..2
//! buffer 0.1 = f32[64] -2..2
//! buffer 0.2 = f32[64] 0
//! buffer 0.3 = u32[64] 0
//! grad 0.2 by 0.0 0.1
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec2 x[]; };
layout(binding = 1) readonly buffer W { float w[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(binding = 3) writeonly buffer Z { uint z[]; };
shared uint tile[32];
shared uint pairs[4][9];
shared uint words[32];

void main() {
  uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x;
  float a = unpackHalf2x16(packHalf2x16(vec2(w[i], 1.0))).x;
  uint kept = packHalf2x16(vec2(a * a, w[i]));
  tile[lane] = packHalf2x16(x[i]);
  pairs[lane / 8u][lane % 8u] = packHalf2x16(x[i].yx);
  if (lane < 4u) pairs[lane][8] = 0x3c004000u;
  words[lane] = packHalf2x16(x[i] * 2.0);
  barrier();
  vec2 t = unpackHalf2x16(tile[31u - lane]), u = unpackHalf2x16(words[lane ^ 1u]);
  float s = t.x * t.y + unpackHalf2x16(kept).y;
  s += unpackHalf2x16(tile[lane]).x * unpackHalf2x16(pairs[lane % 4u][8]).y;
  y[i] = s + unpackHalf2x16(pairs[lane % 4u][lane / 4u]).x;
  z[i] = words[31u - lane] + uint(u.x > 0.0);
}
