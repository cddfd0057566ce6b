;;; TOOL: kgrad show {in} -D SCALE=3.0
;;; EXIT: 2
program p {
  workgroup 1
  grid      1
}
;;; STDERR:
shader_option.kg: error: --define means nothing for a kernel of kgrad's language [option-source]
  fix: leave it out, or give the source of a shader
