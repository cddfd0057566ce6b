#version 450
// Inference: rotary positions, with a base to the power of the pair, and pairs past a limit that are only copied.
//! grid 2,3
//! buffer 0.0 = f32[96] -1..1
//! buffer 0.1 = i32[3] 0..40
//! buffer 0.2 = f32[96] 0
//! push = dims: u32 32, rotated: u32 24, base: f32 10000, scale: f32 1.25
//! grad 0.2 by 0.0
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) readonly buffer Pos { int position[]; };
layout(binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform P { uint dims; uint rotated; float base; float scale; } p;

vec2 turn(float angle, float size) { return vec2(cos(angle), sin(angle)) * size; }

void main() {
  const uint pair = 2u * gl_GlobalInvocationID.x, row = gl_WorkGroupID.y;
  if (pair >= p.dims) return;
  const uint at = row * p.dims + pair;
  if (pair >= p.rotated) {
    y[at] = x[at];
    y[at + 1u] = x[at + 1u];
    return;
  }
  const float angle = float(position[row]) * pow(p.base, -float(pair) / float(p.rotated));
  const vec2 t = turn(angle, p.scale);
  y[at] = x[at] * t.x - x[at + 1u] * t.y;
  y[at + 1u] = x[at] * t.y + x[at + 1u] * t.x;
}
