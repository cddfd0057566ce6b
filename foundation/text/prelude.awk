# Makes rows of C from functions of the language: PRELUDE(name, signature, summary, text). A comment is the summary of the function
# below it; a blank line ends both.
function quoted(s, end) { gsub(/[\\"]/, "\\\\&", s); return "\"" s end "\"" }
function finish() {
  if (text != "") print "PRELUDE(" quoted(name, "") ", " quoted(signature, "") ", " quoted(summary, "") "," text ")"
  text = summary = ""
}
/^\/\/ / { summary = summary (summary == "" ? "" : " ") substr($0, 4); next }
/^$/ { finish(); next }
/^fn / {
  name = signature = substr($0, 4)
  sub(/\(.*/, "", name)
  sub(/( =.*| \{)$/, "", signature)
}
{ text = text "\n  " quoted($0, "\\n") }
END { finish() }
