;;; TOOL: sh -c 'chmod +x dxc; TMPDIR=. PATH=.:$PATH "$KGRAD" show shader.hlsl --flag=-O1 --flag=-Gis'
;;; EXIT: 2
;;; FILE: shader.hlsl
StructuredBuffer<float16_t> x : register(t0);
RWStructuredBuffer<float16_t> y : register(u1);
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { y[id.x] = x[id.x] * x[id.x]; }
;;; FILE: dxc
#!/bin/sh
# What dxc says of a type that is not enabled; then the words that it is given.
case $* in *-enable-16bit-types*) for word; do case $word in ./kgrad.*) ;; *) echo "$word" ;; esac; done; exit 1 ;; esac
echo "shader.hlsl:1:18: error: use of undeclared identifier 'float16_t'"
exit 1
;;; STDERR:
-spirv
-fspv-target-env=vulkan1.2
-T
cs_6_2
-Zi
-enable-16bit-types
-O1
-Gis
-E
main
-Fo
shader.hlsl
shader.hlsl: error: dxc did not compile it [compiler-failed]
  fix: what it says stands above; -D and -I define macros and name folders, and --flag hands on any other flag
