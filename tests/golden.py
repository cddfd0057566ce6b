#!/usr/bin/env python3
"""Runs tests/golden/*.t: a kernel, a command, and what the command must say.

    ;;; TOOL: kgrad show {in} --as kg
    program p { ... }
    ;;; STDOUT:
    program p { ... }

Lines that begin with ';;; ' are the frame, all else is content.
  TOOL: command     run in an empty folder; {in} is the kernel's file, NAME.kg,
                    {src} the root of the sources. Several run in order, and all
                    but the last must exit with 0.
  EXIT: n           of the last command; 0 where it is not stated
  FILE: name        what follows is another file
  HEX: name         the same, its bytes in hexadecimal
  STDOUT: STDERR:   what the last command must print; nothing where not stated.
                    'STDOUT: *' takes anything
  OUTPUT: name      a file that must have been written, with these contents
  DEVICE:           needs a Vulkan device: left out, and counted, where configure
                    was told --disable-device-tests
  ABSENT: name      a file that must not be there afterwards ('*': no file that
                    was not there before)

    tests/golden.py [--rebase] [FILE.t ...]

--rebase writes what the command said into the files, to be read in the diff.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("abs_srcdir") or pathlib.Path(__file__).resolve().parent.parent)
KGRAD = os.environ.get("KGRAD") or str(SOURCE / "build" / "kgrad")
EXPECTED = ("STDOUT", "STDERR", "OUTPUT")


class Section:
    def __init__(self, key, argument):
        self.key, self.argument, self.lines = key, argument, []

    def text(self):
        return "".join(self.lines)


def parse(path):
    """The file as a list of sections; the kernel is the one with key None."""
    sections, into_kernel = [], Section(None, "")
    current = into_kernel
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if not line.startswith(";;; "):
            current.lines.append(line)
            continue
        key, _, argument = line[4:].rstrip("\n").partition(":")
        if key not in ("TOOL", "EXIT", "FILE", "HEX", "STDOUT", "STDERR", "OUTPUT", "ABSENT", "DEVICE"):
            raise ValueError(f"{path.name}: unknown section {key}")
        current = Section(key, argument.strip())
        sections.append(current)
        if key in ("TOOL", "EXIT", "ABSENT", "DEVICE"):
            current = into_kernel
    return sections, into_kernel


def write_inputs(folder, path, sections, kernel):
    (folder / (path.stem + ".kg")).write_text(kernel.text(), encoding="utf-8")
    for s in sections:
        if s.key in ("FILE", "HEX"):
            (folder / s.argument).parent.mkdir(parents=True, exist_ok=True)
        if s.key == "FILE":
            (folder / s.argument).write_text(s.text(), encoding="utf-8")
        elif s.key == "HEX":
            (folder / s.argument).write_bytes(bytes.fromhex(s.text()))


def run_one(path, command, folder):
    words = [w.replace("{in}", path.stem + ".kg").replace("{src}", str(SOURCE)) for w in shlex.split(command)]
    if words[0] == "kgrad":
        words[0] = KGRAD
    done = subprocess.run(words, cwd=folder, env=dict(os.environ, KGRAD=KGRAD), stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    tidy = lambda b: b.decode("utf-8", "backslashreplace").replace(str(SOURCE), "{src}")
    return done.returncode, tidy(done.stdout), tidy(done.stderr)


def first_difference(got, expected):
    g, e = got.splitlines(), expected.splitlines()
    for i in range(max(len(g), len(e))):
        a = g[i] if i < len(g) else "(end)"
        b = e[i] if i < len(e) else "(end)"
        if a != b:
            return f"line {i + 1}:\n      got      {a}\n      expected {b}"
    return "only the last line's end differs"


def compare(sections, code, streams, folder, before):
    """What is wrong, as lines; and, per key, what the sections would have to hold."""
    wrong, want = [], {}
    exits = [s for s in sections if s.key == "EXIT"]
    expected_exit = int(exits[-1].argument) if exits else 0
    if code != expected_exit:
        wrong.append(f"exit status {code}, expected {expected_exit}")
    for key in ("STDOUT", "STDERR"):
        found = [s for s in sections if s.key == key]
        if found and found[0].argument == "*":
            continue
        expected = found[0].text() if found else ""
        want[key, ""] = streams[key]
        if streams[key] != expected:
            wrong.append(f"{key.lower()}, {first_difference(streams[key], expected)}")
    for s in sections:
        if s.key == "OUTPUT":
            file = folder / s.argument
            got = file.read_text(encoding="utf-8", errors="backslashreplace") if file.is_file() else None
            if got is None:
                wrong.append(f"{s.argument} was not written")
            else:
                want["OUTPUT", s.argument] = got
                if got != s.text():
                    wrong.append(f"{s.argument}, {first_difference(got, s.text())}")
        elif s.key == "ABSENT":
            left = set(os.listdir(folder)) - before if s.argument == "*" else \
                {s.argument} & set(os.listdir(folder))
            if left:
                wrong.append("left behind: " + ", ".join(sorted(left)))
    return wrong, want


def rebase(path, sections, kernel, code, want):
    out = [f";;; TOOL: {s.argument}\n" for s in sections if s.key == "TOOL"]
    if code:
        out.append(f";;; EXIT: {code}\n")
    out += [";;; DEVICE:\n" for s in sections if s.key == "DEVICE"]
    out += [f";;; ABSENT: {s.argument}\n" for s in sections if s.key == "ABSENT"]
    out.append(kernel.text())
    for s in sections:
        if s.key in ("FILE", "HEX") or (s.key in EXPECTED and s.argument == "*"):
            out.append(f";;; {s.key}: {s.argument}\n{s.text()}")
    for (key, argument), text in want.items():
        if text and not text.endswith("\n"):
            raise ValueError(f"{path.name}: {key} does not end with a newline")
        if text:
            out.append(f";;; {key}:{' ' + argument if argument else ''}\n{text}")
    path.write_text("".join(out), encoding="utf-8")


def check(path, rewrite):
    """The path, what is wrong, and whether the file was rewritten to say so."""
    try:
        sections, kernel = parse(path)
        tools = [s.argument for s in sections if s.key == "TOOL"]
        if not tools:
            return path, ["no TOOL line"], False
        with tempfile.TemporaryDirectory(prefix="kgrad-golden-") as name:
            folder = pathlib.Path(name)
            write_inputs(folder, path, sections, kernel)
            before = set(os.listdir(folder))
            for i, tool in enumerate(tools):
                code, out, err = run_one(path, tool, folder)
                if code != 0 and i + 1 < len(tools):
                    return path, [f"{tool}: exit status {code}", out + err], False
            wrong, want = compare(sections, code, {"STDOUT": out, "STDERR": err}, folder, before)
        if rewrite:
            rebase(path, sections, kernel, code, want)
        return path, wrong, rewrite
    except (OSError, ValueError, subprocess.TimeoutExpired) as problem:
        return path, [str(problem)], False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rebase", action="store_true", help="write what the command said into the files")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    files = args.files or sorted((SOURCE / "tests" / "golden").glob("*.t"))
    if os.environ.get("DEVICE_TESTS") == "no":
        left_out = [p for p in files if ";;; DEVICE:" in p.read_text(encoding="utf-8")]
        files = [p for p in files if p not in left_out]
        print(f"note: {len(left_out)} tests that need a device are left out (--disable-device-tests)")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, wrong, rebased in pool.map(lambda p: check(p, args.rebase), files):
            if wrong and rebased:
                print(f"rebased {path.name}")
            elif wrong:
                failed += 1
                print(f"FAIL: {path.name}")
                for line in wrong:
                    print("    " + line.rstrip("\n").replace("\n", "\n    "))
            else:
                print(f"PASS: {path.name}")
    if not files:
        print("FAIL: no golden tests found")
        failed = 1
    print(f"kgtest: {len(files) - failed if files else 0} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
