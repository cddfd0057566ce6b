;;; TOOL: sh -c 'mkdir bin; ln -s "$(command -v glslangValidator)" bin; PATH=bin; "$KGRAD" show shader.hlsl'
;;; FILE: shader.hlsl
StructuredBuffer<float> x : register(t0);
RWStructuredBuffer<float> y : register(u0);
StructuredBuffer<float> z : register(t130);
RWStructuredBuffer<float> w : register(u2);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { y[id.x] = 2 * x[id.x]; w[id.x] = 3 * z[id.x]; }
;;; STDOUT:
program shader {
  workgroup 64
  grid      groups_x
  param     groups_x : u32
  buffer    x : f32[] read view(set 0, binding 128, offset 0, stride 4)
  buffer    y : f32[] write view(set 0, binding 256, offset 0, stride 4)
  buffer    w : f32[] write view(set 0, binding 258, offset 0, stride 4)
  buffer    z : f32[] read view(set 0, binding 258, offset 0, stride 4)

  y[global_id.x] = 2.0 * x[global_id.x]
  w[global_id.x] = 3.0 * z[global_id.x]
}
;;; STDERR:
shader.hlsl: warning: z, which is read, and w, which is stored to, are both at set 0, binding 258, and so one memory [import-shared]
  fix: where they are two, give each a binding of its own; registers of HLSL by dxc's -fvk-t-shift 128 all -fvk-u-shift 256 all, which kgrad does itself of an .hlsl that says vk::binding nowhere, and has no registers past t127
