;;; TOOL: sh -c 'mkdir bin; ln -s "$(command -v glslangValidator)" bin; PATH=bin; "$KGRAD" show shader.hlsl --entry square'
;;; FILE: shader.hlsl
RWStructuredBuffer<float> x, y;
[numthreads(64, 1, 1)]
void square(uint3 i : SV_DispatchThreadID) { y[i.x] = x[i.x] * x[i.x]; }
;;; STDOUT:
program square {
  workgroup 64
  grid      groups_x
  param     groups_x : u32
  buffer    x : f32[] read
  buffer    y : f32[] write

  let x1 = x[global_id.x]
  y[global_id.x] = x1 * x1
}
