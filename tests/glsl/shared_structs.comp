#version 450
// Shared memory of vectors, structs and two dimensions, with rows padded against conflicts.
//! grid 2,2
//! buffer 0.0 = f32[1024] -1..1
//! buffer 0.1 = f32[1024] 0
//! grad 0.1 by 0.0
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Y { vec4 y[]; };
struct Cell { vec2 low; float high[2]; };
shared vec4 tile[8][9];
shared Cell cell[8];

void main() {
  uvec2 t = gl_LocalInvocationID.xy, g = gl_WorkGroupID.xy * 8u;
  tile[t.y][t.x] = x[(g.y + t.y) * 16u + g.x + t.x];
  barrier();
  if (t.y == 0u) {
    cell[t.x].low = tile[0][t.x].xy;
    for (int k = 0; k < 2; k++) cell[t.x].high[k] = tile[1][t.x][2 + k];
  }
  barrier();
  vec4 turned = tile[t.x][t.y];
  turned.xy += cell[t.y].low;
  turned.z *= cell[t.x].high[t.y & 1u];
  y[(g.x + t.y) * 16u + g.y + t.x] = turned;
}
