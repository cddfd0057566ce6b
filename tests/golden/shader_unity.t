;;; TOOL: sh -c 'mkdir bin; ln -s "$(command -v glslangValidator)" bin; PATH=bin; "$KGRAD" show shader.compute --entry CSMain'
;;; FILE: shader.compute
#pragma kernel CSMain
RWStructuredBuffer<float> y;
StructuredBuffer<float> x;
[numthreads(64, 1, 1)]
void CSMain(uint3 id : SV_DispatchThreadID) { y[id.x] = x[id.x] * x[id.x]; }
;;; STDOUT:
program CSMain {
  workgroup 64
  grid      groups_x
  param     groups_x : u32
  buffer    y : f32[] write
  buffer    x : f32[] read

  let x1 = x[global_id.x]
  y[global_id.x] = x1 * x1
}
