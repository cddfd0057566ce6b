# Makes rows of C from the paragraphs of the runtime (c/runtime.h): NAME(name, paragraph) for each name that one of them defines,
# NAMELESS(paragraph) for one that defines none, and PIECE(needs, text) for each in turn, where `needs` are those above it whose
# names it uses, and a 0 at the end: paragraph 0 has no name and is taken always. What stands above a file's first blank line tells
# about the file itself and is left out, as are headings.
function quoted(line) { gsub(/[\\"]/, "\\\\&", line); return "\n  \"" line "\\n\"" }
BEGIN { RS = ""; FS = "\n"; here = -1 }
FNR == 1 { next }
{
  here++
  text = needs = ""
  named = 0
  split("", needed)
  for (i = 1; i <= NF; i++) if ($i !~ /^\/\* ---- .* ---- \*\/$/) text = text quoted($i)
  for (rest = $0; match(rest, /[A-Za-z0-9_]+/); rest = substr(rest, RSTART + RLENGTH)) {
    word = substr(rest, RSTART, RLENGTH)
    if (word !~ /^(kg|KG)_/) continue
    if (!(word in owner)) {
      owner[word] = here
      print "NAME(\"" word "\", " here ")"
    }
    if (owner[word] == here) named = 1
    else if (!(owner[word] in needed)) needs = needs owner[word] ", "
    needed[owner[word]] = 1
  }
  if (!named) print "NAMELESS(" here ")"
  piece[here] = "PIECE((" needs "0)," text ")"
}
END { for (i = 0; i <= here; i++) print piece[i] }
