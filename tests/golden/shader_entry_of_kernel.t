;;; TOOL: kgrad show {in} --entry p
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
}
;;; STDERR:
shader_entry_of_kernel.kg: error: --entry means nothing for a kernel of kgrad's language [option-source]
  fix: leave it out, or give the source of a shader
