;;; TOOL: kgrad verify shader.hlsl --of y --wrt x --wrt w --grid 1 --param gain=0.5 --param n=99
;;; FILE: shader.hlsl
cbuffer C : register(b0) { float gain; uint n; };
StructuredBuffer<float> x : register(t0);
StructuredBuffer<float> w : register(t1);
RWStructuredBuffer<float> y : register(u0);
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { if (id.x < n) y[id.x] = gain * x[id.x] * x[id.x + 1] * w[id.x]; }
;;; STDOUT:
grad_x: passed, 100 of 100 entries; worst [15]: -0.00797276292, dual -0.00797276378, 0.034 of what is allowed
grad_w: passed, 100 of 100 entries; worst [6]: -0.296470702, dual -0.296470715, 0.014 of what is allowed
along 4 random directions: passed; worst: 1.03919345, dual 1.0391934, 0.0034 of what is allowed
ran on reference
allowed: 2 x 5.96e-08 x 26.3 of the magnitude
passed
