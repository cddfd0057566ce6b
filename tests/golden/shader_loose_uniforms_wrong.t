;;; TOOL: kgrad show step.comp
;;; EXIT: 2
;;; FILE: step.comp
#version 430
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Positions { vec4 pos[]; };
uniform float dt;
void main() { pos[gl_GlobalInvocationID.x] *= dtt; }
;;; STDERR:
step.comp
ERROR: step.comp:5: 'dtt' : undeclared identifier 
ERROR: step.comp:5: '' : compilation terminated 
ERROR: 2 compilation errors.  No code generated.


SPIR-V is not generated for failed compile or link
step.comp: error: glslangValidator did not compile it [compiler-failed]
  fix: what it says stands above; -D and -I define macros and name folders, and --flag hands on any other flag
