#version 450
// Structs with arrays of structs, copied as wholes: from memory to shared memory, to a function and back; tables that an index chooses from.
#extension GL_EXT_scalar_block_layout : require
//! target vulkan1.2
//! grid 1
//! buffer 0.0 = 16 * (f32[3] -1..1, f32 0.5..2, 2 * (f32[2] -1..1, u32 0..3, u32 7), f32[4] -1..1)
//! buffer 0.1 = 16 * (f32[3] 0, f32 0, 2 * (f32[2] 0, u32 0, u32 0), f32[4] 0)
//! uniform 0.2 = rows: f32[3][4] 0.5..1, gain: f32 2.0, pad 12
//! grad 0.1 by 0.0
layout(local_size_x = 16) in;
struct Part { vec2 uv; uint kind; uint spare; };
struct Body { vec3 at; float mass; Part parts[2]; vec4 colour; };
layout(binding = 0, std430) readonly buffer X { Body x[]; };
layout(binding = 1, std430) writeonly buffer Y { Body y[]; };
layout(binding = 2, std140) uniform C { vec4 rows[3]; float gain; } c;
shared Body cache[16];
const float TABLE[4] = float[4](0.25, -0.5, 1.5, 2.0);
const vec2 DIRS[4] = vec2[](vec2(1, 0), vec2(0, 1), vec2(-1, 0), vec2(0, -1));
Body moved(Body b, float by) {
  for (int k = 0; k < 2; k++) {
    b.parts[k].uv = b.parts[k].uv * TABLE[b.parts[k].kind & 3u] + DIRS[(b.parts[k].kind + uint(k)) & 3u] * by;
    b.at += vec3(b.parts[k].uv, b.mass) * c.rows[k].xyz;
  }
  return b;
}
void main() {
  uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;
  cache[l] = x[i];
  barrier();
  Body b = cache[15u - l], old = b;
  b = moved(b, c.gain);
  Part swap = b.parts[0];
  b.parts[0] = b.parts[1];
  b.parts[1] = swap;
  b.colour = c.rows[2] * old.colour.wzyx + vec4(b.at, old.mass);
  y[i] = b;
}
