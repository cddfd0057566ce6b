# Makes rows of C from templates: TEXT(name, lines). The name is the file's, without its folder and what follows the first dot.
function quoted(s) { gsub(/[\\"]/, "\\\\&", s); return "\"" s "\"" }
function finish() { if (name != "") print "TEXT(" name "," text ")" }
FNR == 1 {
  finish()
  name = FILENAME
  sub(/.*\//, "", name)
  sub(/\..*/, "", name)
  text = ""
}
{ text = text (FNR > 1 ? "," : "") "\n  " quoted($0) }
END { finish() }
