#version 450
// Three descriptor sets with gaps between their bindings; arrays of several dimensions in memory.
//! grid 2,2
//! buffer 0.3 = f32[256] -1..1
//! buffer 2.0 = f32[256] -1..1
//! uniform 2.7 = mixing: f32 0.25, pad 12
//! buffer 1.1 = f32[256] 0
//! grad 1.1 by 0.3
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 3) readonly buffer A { float a[16][16]; };
layout(set = 2, binding = 0) readonly buffer B { float b[]; };
layout(set = 2, binding = 7) uniform U { float mixing; };
layout(set = 1, binding = 1) writeonly buffer C { float c[16][16]; };

void main() {
  uvec2 g = gl_GlobalInvocationID.xy;
  c[g.y][g.x] = mix(a[g.y][g.x], b[g.x * 16u + g.y], mixing);
}
