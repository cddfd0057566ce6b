;;; TOOL: sh -c 'mkdir bin; ln -s "$(command -v glslangValidator)" bin; PATH=bin; "$KGRAD" show shader.hlsl'
;;; FILE: shader.hlsl
cbuffer C : register(b0) { float gain; uint n; };
StructuredBuffer<float> x : register(t0);
StructuredBuffer<float> w : register(t1);
RWStructuredBuffer<float> y : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { if (id.x < n) y[id.x] = gain * x[id.x] * x[id.x + 1] * w[id.x]; }
;;; STDOUT:
program shader {
  workgroup 64
  grid      groups_x
  param     gain : f32 view(set 0, binding 0, offset 0)
  param     n : u32 view(set 0, binding 0, offset 4)
  param     groups_x : u32
  buffer    x : f32[] read view(set 0, binding 128, offset 0, stride 4)
  buffer    w : f32[] read view(set 0, binding 129, offset 0, stride 4)
  buffer    y : f32[] write view(set 0, binding 256, offset 0, stride 4)

  if global_id.x < n {
    y[global_id.x] = gain * x[global_id.x] * x[global_id.x + 1] * w[global_id.x]
  }
}
