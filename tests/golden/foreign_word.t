;;; TOOL: kgrad check {in}
;;; EXIT: 2
program p {
  workgroup 64
  grid      invocations n
  param     n : u32
  buffer    x : f32[n] read_write

  let i = blockIdx.y * blockDim.x + threadIdx.x
  x[i] = fmaxf(x[i], 0.0f);
}
;;; STDERR:
foreign_word.kg:7:11: error: blockIdx is not part of the language [foreign-word]
     7 |   let i = blockIdx.y * blockDim.x + threadIdx.x
       |           ^
  fix: write workgroup_id.y
