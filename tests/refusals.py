#!/usr/bin/env python3
"""Holds the table of refusals in doc/derivatives.md to foundation/base/diags.def.

    tests/refusals.py [--rebase] [ROOT]

Each row of diags.def whose id begins with grad- or jvp-, and which is an error,
is a row of the table: id, message, fix. --rebase writes the table.
"""
import os
import re
import sys

BEGIN, END = "<!-- from diags.def: tests/refusals.py --rebase -->\n", "<!-- end -->\n"
ROW = re.compile(r'^DIAG\(\w+, "((?:grad|jvp)-[^"]*)", ERROR, "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)$', re.M)


def plain(text):
    """Arguments become letters."""
    text = text.replace('\\"', '"').replace("\\\\", "\\").replace("|", "\\|")
    return re.sub(r"\{(\d)\}", lambda m: "_" + "ABCDEFGHIJ"[int(m.group(1))] + "_", text)


def table(definitions):
    rows = ["| diagnostic | when | what to do |\n", "|---|---|---|\n"]
    for name, message, fix in ROW.findall(definitions):
        rows.append(f"| `{name}` | {plain(message)} | {plain(fix)} |\n")
    return "".join(rows)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--rebase"]
    root = arguments[0] if arguments else "."
    page = os.path.join(root, "doc/derivatives.md")
    with open(os.path.join(root, "foundation/base/diags.def"), encoding="utf-8") as file:
        wanted = table(file.read())
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if BEGIN not in text or END not in text or wanted.count("\n") < 10:
        sys.exit(f"FAIL: {page} has no table of refusals, or diags.def no rows for it")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if "--rebase" in sys.argv:
        with open(page, "w", encoding="utf-8") as file:
            file.write(text[:start] + wanted + text[end:])
    elif text[start:end] != wanted:
        sys.exit("FAIL: the table of refusals in doc/derivatives.md is not that of diags.def: tests/refusals.py --rebase")


main()
