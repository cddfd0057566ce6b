# Makes C of functions.kg. PIECE(text) is a function or a program, without comments; KGI_PIECES_row lists those that a row's text
# consists of, its program last. A function stands before those that call it.
function quoted(s) { gsub(/[\\"]/, "\\\\&", s); return "\"" s "\\n\"" }
function calls(line, name, at) {
  while ((at = index(line, name "(")) > 0) {
    if (at == 1 || substr(line, at - 1, 1) !~ /[a-z0-9_]/) return 1
    line = substr(line, at + 1)
  }
  return 0
}
function finish(i, k, n, row, list) {
  if (!inside) return
  inside = 0
  print "PIECE(" text ")"
  if (kind == "fn") { fn[count++] = name; return }
  for (i = 0; i < count; i++) if (needs[count, i]) list = list i ", "
  n = split(name, row, "_")
  for (k = 1; k <= n; k++) print "#define KGI_PIECES_" row[k] " " list count
  fn[count++] = ""
}
{ sub(/ *\/\/.*/, "") }
inside && !braces && /^[^ ]|^$/ { finish() }
/^(fn|program) / {
  kind = $1
  name = $2
  sub(/\(.*/, "", name)
  inside = 1
  braces = /\{$/
  text = ""
}
inside && !/^$/ {
  line = $0
  sub(/^ +/, "", line)
  text = text "\n  " quoted(line)
  for (i = 0; i < count; i++)
    if (fn[i] != "" && calls(line, fn[i])) {
      needs[count, i] = 1
      for (k = 0; k < i; k++) if (needs[i, k]) needs[count, k] = 1
    }
}
inside && braces && /^}/ { finish() }
END { finish() }
