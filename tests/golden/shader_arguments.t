;;; TOOL: sh -c 'chmod +x glslangValidator; TMPDIR=. PATH=.:$PATH "$KGRAD" grad shader.comp -D "A=1; 2" -I "a b" -o shader_grad.spv'
;;; EXIT: 2
;;; ABSENT: *
;;; FILE: shader.comp
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < x.length()) y[i] = SCALE * x[i] * x[i];
}
;;; FILE: glslangValidator
#!/bin/sh
for word; do case $word in ./kgrad.*) echo "(a file)" ;; *) echo "$word" ;; esac; done
exit 1
;;; STDERR:
-V
--target-env
vulkan1.2
-S
comp
-g
-DA=1; 2
-Ia b
-o
(a file)
shader.comp
shader.comp: error: glslangValidator did not compile it [compiler-failed]
  fix: what it says stands above; -D and -I define macros and name folders, and --flag hands on any other flag
