;;; TOOL: kgrad grad {in} -o with.spv
;;; TOOL: kgrad grad {in} -o without.spv --no-validate
;;; TOOL: cmp with.spv without.spv
;;; TOOL: spirv-val --target-env vulkan1.1 without.spv
;;; TOOL: kgrad show {in} --as spvasm --no-validate -o shown
;;; TOOL: kgrad prim softmax -o s.spv --no-validate
;;; TOOL: spirv-val --target-env vulkan1.1 s.spv
;;; TOOL: head -n 1 shown
program half {
  workgroup 64
  grid      invocations n
  param     n : u32 = 100
  buffer    x : f32[n] read
  buffer    y : f32[n] write
  let i = global_id.x
  if i < n { y[i] = x[i] * 0.5 }
}
;;; STDOUT:
; SPIR-V
