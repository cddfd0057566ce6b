#!/usr/bin/env python3
"""Builds kgrad with gcov's counters, asks each property of random programs for a while, and prints which part of each room's lines ran.

  fuzz/covered.py                                           180 seconds a property, on vulkan
  fuzz/covered.py --property values --device vulkan --device cpu  one or more of each
  fuzz/covered.py --seconds 1200 --keep DIR                 as for doc/fuzzing.md; what was built stays there
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ["foundation", "autodiff", "modules", "spirv", "c", "reference", "verify", "driver"]
PROPERTIES = re.findall(r'^GROUP\(\w+, "([^"]+)"', (SOURCE / "fuzz/ask/properties.def").read_text(), re.M)


def must(command, folder, **more):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(str(word) for word in command)}: {done.stderr[-2000:]}")
    return done


def build(folder, jobs):
    shim = folder / "covered.o"
    compiler = os.environ.get("CC", "gcc").split()
    must([*compiler, "-O1", "-c", "-x", "c", SOURCE / "fuzz/covered.c.in", "-o", shim], folder)
    if not (folder / "Makefile").exists():
        must([SOURCE / "configure", "-q", "--disable-shared", "--enable-development", "CFLAGS=-g -O1 -w --coverage", "CXXFLAGS=-g -O1 -w",
              "LDFLAGS=--coverage -Wl,--wrap=kill -Wl,--wrap=_exit", f"LIBS={shim}"], folder)
    must(["make", "-s", f"-j{jobs}", "kgrad"], folder)


def counters(folder):
    return [path for room in ROOMS for path in (folder / room).rglob("*.gcda")]


def lines_of(folder, suffix):
    """By room: the lines of its .c files that ran, and all of them, as gcov says."""
    ran, all_lines = {room: set() for room in ROOMS}, {room: set() for room in ROOMS}
    notes = [path for room in ROOMS for path in (folder / room).rglob(suffix)]
    for note in notes:
        done = subprocess.run(["gcov", "--json-format", "--stdout", note.name], cwd=note.parent, capture_output=True, text=True)
        for text in done.stdout.splitlines():
            for file in json.loads(text)["files"]:
                path = os.path.normpath(os.path.join(folder, file["file"]))
                name = os.path.relpath(path, SOURCE)
                room = name.split(os.sep)[0]
                if room not in ran or not name.endswith(".c"):
                    continue
                for line in file["lines"]:
                    at = (name, line["line_number"])
                    all_lines[room].add(at)
                    if line["count"]:
                        ran[room].add(at)
    return ran, all_lines


def ask(folder, name, seconds, devices):
    for path in counters(folder):
        path.unlink()
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([folder / "kgrad", "fuzz", f"--property={name}", *(f"--device={device}" for device in devices),
                               f"--time={seconds}", "--jobs=1", "--reduce=0", "--json", f"--out={out}"], capture_output=True, text=True)
        if not done.stdout:
            sys.exit(f"kgrad fuzz --property {name}: {done.stderr[-2000:]}")
        result = json.loads(done.stdout)["result"]
    return result, lines_of(folder, "*.gcda")[0]


def row(name, programs, rate, findings, ran, lines):
    parts = [f"{100 * len(ran[room] & lines[room]) / max(1, len(lines[room])):.0f}" for room in ROOMS]
    return f"| {name} | {programs} | {rate} | {findings} | " + " | ".join(parts) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=180)
    parser.add_argument("--property", action="append")
    parser.add_argument("--device", action="append", help="one or more; vulkan")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (args.keep or pathlib.Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        build(folder, args.jobs)
        lines = lines_of(folder, "*.gcno")[1]
        together = {room: set() for room in ROOMS}
        print(f"| property | programs | a second | findings | {' | '.join(ROOMS)} |\n|{'---|' * (len(ROOMS) + 4)}", flush=True)
        for name in args.property or PROPERTIES:
            result, ran = ask(folder, name, args.seconds, args.device or ["vulkan"])
            for room in ROOMS:
                together[room] |= ran[room]
            rate = f"{result['programs'] / max(result['seconds'], 0.1):.1f}"
            print(row(name, result["programs"], rate, len(result["findings"]), ran, lines), flush=True)
        print(row("all of these", "", "", "", together, lines))


if __name__ == "__main__":
    main()
