;;; TOOL: sh -c 'mkdir bin; ln -s "$(command -v glslangValidator)" bin; PATH=bin; "$KGRAD" show shader.hlsl'
;;; FILE: shader.hlsl
[[vk :: /* of the host */ binding(3)]] StructuredBuffer<float> x;
[[vk::
  binding(3)]] RWStructuredBuffer<float> y;
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { y[id.x] = 2 * x[id.x]; }
;;; STDOUT:
program shader {
  workgroup 64
  grid      groups_x
  param     groups_x : u32
  buffer    y : f32[] write view(set 0, binding 3, offset 0, stride 4)
  buffer    x : f32[] read view(set 0, binding 3, offset 0, stride 4)

  y[global_id.x] = 2.0 * x[global_id.x]
}
;;; STDERR:
shader.hlsl: warning: x, which is read, and y, which is stored to, are both at set 0, binding 3, and so one memory [import-shared]
  fix: where they are two, give each a binding of its own; registers of HLSL by dxc's -fvk-t-shift 128 all -fvk-u-shift 256 all, which kgrad does itself of an .hlsl that says vk::binding nowhere, and has no registers past t127
