#!/usr/bin/env python3
"""doc/import.md lists what an import takes, as the tables of spirv/import have it.

    tests/import_table.py [--rebase]
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE, MARK = SOURCE / "doc" / "import.md", "## The instructions\n"
ROW = re.compile(r"^(VALUE|NEGATED|OWN|CODE|PARTS|SAME|ATOMIC|GROUP|LANES|QUIET|FLOW|MADE)\((\w+)(?:, (\w+))?", re.M)
WORDS = {"VALUE": "`{}`", "NEGATED": "not `{}`", "OWN": "own code", "CODE": "own code", "PARTS": "own code", "SAME": "own code", "ATOMIC": "`atomic_{}`",
         "GROUP": "`subgroup_{}`", "LANES": "`subgroup_{}`", "QUIET": "nothing of its own", "FLOW": "control flow",
         "MADE": "types and constants"}


def rows(name, prefix):
    for kind, opcode, what in ROW.findall((SOURCE / "spirv" / "import" / name).read_text()):
        yield f"| `{prefix}{opcode}` | {WORDS[kind].format(what)} |"


def listed():
    head = "| instruction | what it becomes |\n|---|---|\n"
    return (MARK + "\nThe list is made from the tables by `tests/import_table.py --rebase`. What it lacks is refused.\n\n" + head +
            "\n".join(rows("opcodes.def", "Op")) + "\n\n### GLSL.std.450\n\n" + head + "\n".join(rows("glsl.def", "")) + "\n")


def main():
    text = PAGE.read_text()
    right = text[:text.index(MARK)] + listed()
    if sys.argv[1:] == ["--rebase"]:
        PAGE.write_text(right)
        return
    if text != right:
        print("FAIL: doc/import.md lists other instructions than spirv/import takes: run tests/import_table.py --rebase")
    print(f"kgtest: {int(text == right)} passed, {int(text != right)} failed")
    sys.exit(text != right)


main()
