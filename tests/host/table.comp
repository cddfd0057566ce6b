#version 450
// A uniform block of which a member is indexed, and others are not.
layout(local_size_x = 8) in;
layout(std140, binding = 0) uniform Table { vec4 weight[2]; float scale; } table;
layout(binding = 1) readonly buffer X { float x[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  y[i] = table.scale * table.weight[(i >> 2u) & 1u][i & 3u] * x[i];
}
