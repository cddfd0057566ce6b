;;; TOOL: sh -c 'chmod +x dxc; TMPDIR=. PATH=.:$PATH "$KGRAD" show shader.hlsl'
;;; EXIT: 2
;;; FILE: shader.hlsl
StructuredBuffer<float> x : register(t0);
RWStructuredBuffer<float> y : register(u0);
[numthreads(64, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { y[id.x] = x[id.x] * x[id.x]; }
;;; FILE: dxc
#!/bin/sh
# Where it is told of no shifts, glslang takes its part, which then makes one binding of both registers as well.
case $* in *shift*) for word; do case $word in ./kgrad.*) ;; *) echo "$word" ;; esac; done; exit 1 ;; esac
for last; do test "$before" = -Fo && output=$last; before=$last; done
glslangValidator -D -V -S comp -e main -o "$output" "$last" >/dev/null
;;; STDERR:
-spirv
-fspv-target-env=vulkan1.2
-T
cs_6_2
-Zi
-fvk-t-shift
128
all
-fvk-u-shift
256
all
-E
main
-Fo
shader.hlsl
shader.hlsl: error: dxc did not compile it [compiler-failed]
  fix: what it says stands above; -D and -I define macros and name folders, and --flag hands on any other flag
