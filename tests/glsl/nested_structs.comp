#version 450
// Arrays of structs that hold structs and arrays; a header before a runtime array; its length.
//! grid 1
//! buffer 0.0 = u32 2, f32 0.5, 20 * (f32[2] -1..1, f32[3] -1..1, u32 0..2)
//! buffer 0.1 = f32[32] 0
//! grad 0.1 by 0.0
layout(local_size_x = 32) in;
struct Leaf { float weight[3]; uint choice; };
struct Node { vec2 at; Leaf leaf; };
layout(std430, binding = 0) readonly buffer Tree { uint skip; float scale; Node node[]; } tree;
layout(std430, binding = 1) writeonly buffer Y { float y[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint count = uint(tree.node.length());
  float r = 0.0;
  for (uint k = i; k < count; k += tree.skip) {
    Leaf leaf = tree.node[k].leaf;
    r += leaf.weight[leaf.choice] * tree.node[k].at.x + tree.scale * tree.node[k].at.y;
  }
  y[i] = r;
}
