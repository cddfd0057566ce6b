;;; TOOL: sh -c '"$KGRAD" show shader.wgsl; "$KGRAD" show shader.metal; "$KGRAD" show kernel.cu'
;;; EXIT: 2
;;; FILE: shader.wgsl
@compute @workgroup_size(64) fn main() {}
;;; FILE: shader.metal
kernel void f() {}
;;; FILE: kernel.cu
__global__ void f() {}
;;; STDERR:
shader.wgsl: error: kgrad does not read WGSL, and has no compiler of it to call [foreign-language]
  fix: give the SPIR-V that naga or tint makes of it
shader.metal: error: kgrad does not read Metal, and has no compiler of it to call [foreign-language]
  fix: give the GLSL, HLSL or SPIR-V that it was made of
kernel.cu: error: kgrad does not read CUDA C++, and has no compiler of it to call [foreign-language]
  fix: write the kernel in GLSL, HLSL, Slang or kgrad's language (doc/language.md)
