#version 450
// Functions with out and inout parameters, of arrays and of structs too.
//! grid 2
//! buffer 0.0 = f32[256] -1..1
//! buffer 0.1 = f32[256] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer X { vec4 x[]; };
layout(binding = 1) writeonly buffer Y { vec4 y[]; };
struct State { vec2 at; float speed; };

void turn(inout vec2 v, float c, float s) { v = vec2(c * v.x - s * v.y, s * v.x + c * v.y); }
void measure(in vec2 v, out float square, out float sum) { square = dot(v, v); sum = v.x + v.y; }
void advance(inout State s, float dt) {
  turn(s.at, 0.8, 0.6);
  s.at += dt * s.speed;
  s.speed *= 0.5;
}
void prefix(inout float a[4]) { for (int k = 1; k < 4; k++) a[k] += a[k - 1]; }

void main() {
  uint i = gl_GlobalInvocationID.x;
  State s = State(x[i].xy, x[i].z);
  advance(s, 0.25);
  advance(s, x[i].w);
  float square, sum;
  measure(s.at, square, sum);
  float a[4] = float[](square, sum, s.speed, x[i].w);
  prefix(a);
  y[i] = vec4(a[0], a[1], a[2], a[3]);
}
