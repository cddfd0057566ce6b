;;; TOOL: sh -c 'mkdir bin; ln -s "$(command -v glslangValidator)" bin; PATH=bin; "$KGRAD" show shader.hlsl'
;;; FILE: shader.hlsl
// vk::binding is not used here,
/* nor is [[vk::binding(1)]] */
StructuredBuffer<float> x : register(t0);
RWStructuredBuffer<float> y : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { y[id.x] = 2 * x[id.x]; }
;;; STDOUT:
program shader {
  workgroup 64
  grid      groups_x
  param     groups_x : u32
  buffer    x : f32[] read view(set 0, binding 128, offset 0, stride 4)
  buffer    y : f32[] write view(set 0, binding 256, offset 0, stride 4)

  y[global_id.x] = 2.0 * x[global_id.x]
}
