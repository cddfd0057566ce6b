#!/usr/bin/env python3
"""Plants the faults of faults.txt in a copy of kgrad, one at a time, and sees after how many programs `kgrad fuzz` finds each.

  faults.py                  whether each fault's lines are where it says: a test
  faults.py --all            the table of doc/fuzzing.md; `make faults`
  faults.py --fault NAME     one fault or more; what was built stays with --keep DIR
  faults.py --show NAME      as a patch
"""
import argparse
import difflib
import filecmp
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent


class Fault:
    def __init__(self, line):
        self.name, self.part, self.text = (piece.strip() for piece in line.split("|"))
        self.file, self.old, self.new, self.ask, self.most = "", [], [], [], 0

    def patched(self, text):
        """The file with the fault; None: its lines are not there, or not once."""
        old = "\n".join(self.old)
        return text.replace(old, "\n".join(self.new)) if text.count(old) == 1 else None


def read_faults():
    faults = []
    for line in (HERE / "faults.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        sign, rest = line[:2], line[2:]
        word, _, words = line.partition(" ")
        if sign == "- ":
            faults[-1].old.append(rest)
        elif sign == "+ ":
            faults[-1].new.append(rest)
        elif word == "in":
            faults[-1].file = words
        elif word == "ask":
            faults[-1].ask = words.split()
        elif word == "most":
            faults[-1].most = int(words)
        else:
            faults.append(Fault(line))
    return faults


def check(faults):
    wrong = 0
    for fault in faults:
        whole = fault.file and fault.old and fault.new and fault.ask and fault.most
        if not whole or fault.patched((SOURCE / fault.file).read_text()) is None:
            print(f"FAIL: tests/planted/faults.txt: {fault.name}: its lines are not in {fault.file}, or more than once")
            wrong += 1
    names = [fault.name for fault in faults]
    wrong += len(names) - len(set(names))
    print(f"kgtest: {len(faults) - wrong} passed, {wrong} failed")
    return wrong


def show(fault):
    text = (SOURCE / fault.file).read_text()
    lines = text.splitlines(True), fault.patched(text).splitlines(True)
    sys.stdout.writelines(difflib.unified_diff(*lines, "a/" + fault.file, "b/" + fault.file))


# ---- a copy of kgrad ----

def run(command, folder, **more):
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, **more)


def tracked():
    listed = run(["git", "ls-files", "-z"], SOURCE)
    return [SOURCE / name for name in listed.stdout.split("\0") if name] if listed.returncode == 0 else []


def copy_sources(to):
    """What git knows, as it lies here; without git, all but builds. What is there already keeps its time: a fault that was taken back in an
    earlier run has yet to be built without."""
    for path in tracked():
        target = to / path.relative_to(SOURCE)
        if path.is_file() and not (target.is_file() and filecmp.cmp(path, target, shallow=False)):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    if not tracked():
        shutil.copytree(SOURCE, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build*", ".git"))


def must(command, folder):
    done = run(command, folder)
    if done.returncode:
        sys.exit(f"{' '.join(str(word) for word in command)}: {done.stderr[-2000:]}")


class Copy:
    def __init__(self, folder, jobs):
        self.source, self.build, self.jobs = folder / "source", folder / "build", jobs
        self.kgrad, self.right = self.build / "kgrad", self.build / "kgrad-right"
        fresh = not self.build.exists()
        copy_sources(self.source)
        self.build.mkdir(exist_ok=True)
        if fresh:
            must(["autoreconf", "-fi"], self.source)
            must(["../source/configure", "-q", "--disable-shared", "--enable-development", "CFLAGS=-g -O1 -w"], self.build)
        must(["make", "-s", f"-j{jobs}", "kgrad"], self.build)
        shutil.copy2(self.kgrad, self.right)

    def make(self):
        return run(["make", "-s", f"-j{self.jobs}", "kgrad"], self.build)

    def plant(self, fault):
        """Why it cannot be built, if so."""
        path = self.source / fault.file
        path.write_text(fault.patched(path.read_text()))
        done = self.make()
        return done.stderr[-400:] if done.returncode else None

    def restore(self, fault):
        shutil.copy(SOURCE / fault.file, self.source / fault.file)


# ---- a hunt ----

# Findings that kgrad has without the fault, too, such as those that doc/fuzzing.md calls known, are passed over; not many.
MOST = 4


def environment(fault):
    """A fault in emitted C shows whatever a compiler makes of it, and soonest where it makes little."""
    return {**os.environ, "CC": str(SOURCE / "tests/support/unoptimised")} if "cpu" in fault.ask else None


def hunt(kgrad, fault, first, count, jobs):
    """The first finding from that seed on, or None."""
    with tempfile.TemporaryDirectory() as out:
        ask = [f"--property={fault.ask[0]}", *(SOURCE / word if word.startswith("tests/") else word for word in fault.ask[1:])]
        done = run([kgrad, "fuzz", *ask, "--seed", first, "--count", count, "--most", 1, "--reduce", 0, "--jobs", jobs, "--json", "--out", out],
                   out, env=environment(fault))
        return min(json.loads(done.stdout)["result"]["findings"], key=lambda found: found["seed"], default=None)


def first_shown(copy, fault, jobs):
    """The first finding that kgrad does not have without the fault."""
    seed = 1
    for _ in range(MOST):
        found = hunt(copy.kgrad, fault, seed, fault.most + 1 - seed, jobs) if seed <= fault.most else None
        if not found or not hunt(copy.right, fault, found["seed"], 1, 1):
            return found
        seed = found["seed"] + 1
    return None


def describe(fault, found):
    if not found:
        return f"not within {fault.most}", ""
    by = found["property"] + (f" on {found['device'].split(':')[0]}" if found["device"] else "")
    where = [word for word in fault.ask if word.startswith("tests/")]
    return by + "".join(f", from {word}" for word in where), str(found["seed"]) + (" (late)" if found["seed"] > fault.most else "")


def row(copy, fault, jobs):
    began = time.time()
    trouble = copy.plant(fault)
    if trouble:
        copy.restore(fault)
        return False, f"| {fault.name} | {fault.part} | {fault.text} | does not build: {trouble} | | |"
    began = time.time()
    found = first_shown(copy, fault, jobs)
    seconds = time.time() - began
    copy.restore(fault)
    by, programs = describe(fault, found)
    return found is not None, f"| {fault.name} | {fault.part} | {fault.text} | {by} | {programs} | {seconds:.1f} |"


def table(faults, folder, jobs):
    copy = Copy(folder, jobs)
    found = 0
    print("| fault | in | what is wrong | found by | program | seconds |\n|---|---|---|---|---|---|", flush=True)
    for fault in faults:
        fine, text = row(copy, fault, jobs)
        found += fine
        print(text, flush=True)
    print(f"\n{found} of {len(faults)} faults were found.")
    return len(faults) - found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", metavar="NAME")
    parser.add_argument("--fault", metavar="NAME", action="append")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    faults = read_faults()
    named = args.fault or [args.show] if args.fault or args.show else None
    wanted = faults if named is None else [fault for fault in faults if fault.name in named]
    if not args.all and not args.fault and not args.show:
        return 1 if check(faults) else 0
    if not wanted:
        sys.exit("faults.py: no such fault; tests/planted/faults.txt has the list")
    if args.show:
        return show(wanted[0])
    if args.keep:
        return 1 if table(wanted, args.keep.resolve(), args.jobs) else 0
    with tempfile.TemporaryDirectory() as folder:
        return 1 if table(wanted, pathlib.Path(folder), args.jobs) else 0


if __name__ == "__main__":
    sys.exit(main())
