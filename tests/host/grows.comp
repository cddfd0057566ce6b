#version 450
// A loop whose trips only the host knows, and whose state has to be kept: the primal leaves a tape.
layout(local_size_x = 8) in;
layout(set = 0, binding = 2) readonly buffer X { float x[]; };
layout(set = 0, binding = 5) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Pushed { float unused; float rate; uint steps; uint n; } pushed;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= pushed.n) return;
  float s = x[i];
  for (uint k = 0u; k < pushed.steps; k++) s += pushed.rate * s * s;
  y[i] = s;
}
