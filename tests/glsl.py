#!/usr/bin/env python3
"""Imports of foreign shaders, held against the shaders themselves.

    tests/glsl.py [NAME ...]

Each of tests/glsl/*.comp and *.hlsl is compiled without optimisation (glslangValidator) and with it (glslc -O); *.spvasm there and
in tests/slang are assembled. tests/foreign/data.py says what their `//!` lines mean (Slang's are in the source beside). Of each:

 - `kgrad show` imports it;
 - the import runs on the reference, with intervals, and on lavapipe; the binary itself runs on lavapipe through
   tests/foreign/foreign.c, which shares nothing with kgrad. Integers, and bytes that are only moved, must be the same. Floats must
   lie in the intervals, which hold whatever Vulkan allows a device to give with kgrad's own functions. Where a device's functions
   are rougher, or an interval decides nothing (wider than WIDEST of the largest element), a `//! near` line says how far apart
   results may be, and why;
 - bytes that no output of the import covers must be what they were;
  - `kgrad verify` proves each gradient that a `//! grad` line names, also where the kernel knows its grid and its params beforehand, and
    `kgrad grad` refuses each of a `//! refused` line; a gradient keeps nothing where a `//! no_tape` line says so;
 - where tests/glsl/known.py has the formula, outputs are what it gives, and gradients its differences (tests/foreign/answers.py).

tests/glsl/not_yet.txt lists what is not taken as yet, with the diagnostic: a line NAME HOW: ID. One that is taken now fails.
A compiler that is not there is a failure.
"""
import array
import concurrent.futures
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import differences
from foreign import answers, data
from foreign.imports import BUILD, Import, NotYet, Wrong, kgrad, refusal_of, run

SOURCE = differences.SOURCE
FOLDER, SLANG_FOLDER = SOURCE / "tests" / "glsl", SOURCE / "tests" / "slang"
WIDEST = 2.0**-7
OP_SOURCE, SLANG = 3, 11


# --- the binary -------------------------------------------------------------------


def slang_of(source):
    """The source beside what Slang made."""
    return source.with_suffix(".slang").exists() and source.with_suffix(".slang")


def compile_with(how, source, header, binary):
    if source.suffix == ".spvasm":
        run("spirv-as", "--preserve-numeric-ids", "--target-env", "spv1.5" if slang_of(source) else "spv1.0", source, "-o", binary)
    elif how == "plain":
        language = ["-D", "-e", "main"] if source.suffix == ".hlsl" else []
        run("glslangValidator", *language, "-V", "-S", "comp", "--target-env", header.target, source, "-o", binary)
    else:
        run("glslc", "-O", "-g", "-fshader-stage=compute", f"--target-env={header.target}", source, "-o", binary)


def specialised(header, binary, folder):
    """The defaults of its constants are what the header says."""
    values = " ".join(f"{i}:{int(value) if kind[0] != 'f' else value}" for i, kind, value in header.consts)
    if not values:
        return binary
    run("spirv-opt", "--set-spec-const-default-value", values, binary, "-o", folder / "specialised.spv")
    return folder / "specialised.spv"


def as_found(binary, folder):
    """With Slang's number as the source language, which neither SPIRV-Tools nor the validation layers know."""
    words, found = array.array("I", binary.read_bytes()), folder / "found.spv"
    at = 5
    while at < len(words):
        if words[at] & 0xFFFF == OP_SOURCE:
            words[at + 1] = SLANG
        at += words[at] >> 16
    found.write_bytes(words.tobytes())
    return found


def bits_of(kind, value):
    return int.from_bytes(data.Scalar(0, kind, None, value).pack(), "little")


def run_foreign(header, binary, folder):
    """The bytes of each buffer on exit."""
    words, paths = ["--grid", header.grid, "--entry", header.entry], []
    for identity, kind, value in header.consts:
        words += ["--const", f"{identity}={bits_of(kind, value)}"]
    if header.push.data:
        (folder / "push").write_bytes(header.push.data)
        words += ["--push", folder / "push"]
    for block in header.blocks:
        paths.append(folder / f"foreign.{block.name}")
        paths[-1].write_bytes(block.data)
        if block.what == "address":
            words.append(f"@{next(s.offset for s in header.push.scalars if s.name == block.name)}={paths[-1]}")
        else:
            words.append(f"{'u' if block.what == 'uniform' else ''}{block.name}={paths[-1]}")
    run(BUILD / "tests" / "foreign" / "foreign", binary, *words)
    return [path.read_bytes() for path in paths]


# --- what is compared -------------------------------------------------------------


def same(a, b):
    return a == b or (a != a and b != b)


def compare(header, which, got, right, intervals):
    """Of one block: the first element that is off, and how many are. `right` is the reference's."""
    block, off = header.blocks[which], []
    largest = max((abs(v) for v in (s.read(right) for s in block.scalars if s.kind[0] == "f") if math.isfinite(v)), default=0.0)
    for s in block.scalars:
        a, b = s.read(got), s.read(right)
        low, high = intervals.get((s.offset, s.kind), (b, b)) if s.kind[0] == "f" else (b, b)
        decides = not math.isnan(low) and (high - low <= WIDEST * largest or low == high)
        near = s.kind[0] == "f" and abs(a - b) <= header.near.get(block.name, 0.0) * largest
        if not same(a, b) and not near and not (decides and low <= a <= high):
            off.append(f"byte {s.offset} is {a!r}, and {b!r} on the reference in [{low!r}, {high!r}]")
    return f"{len(off)} elements of {block.name} are off; {off[0]}" if off else None


def compare_all(who, header, got, right, intervals):
    said = [compare(header, which, got[which], right[which], intervals[which]) for which in range(len(header.blocks))]
    return [f"{who}: {line}" for line in said if line]


# --- gradients --------------------------------------------------------------------


def prove(kernel, folder, label):
    wrong = []
    env = differences.compiled_soonest(label)
    for outputs, inputs in kernel.header.grads:
        options = kernel.options(outputs, inputs)
        kgrad("grad", kernel.path, *options)
        given = [*kernel.words_of_params(), *kernel.words_of_inputs(folder)]
        for how in (["--device", "all", "--entries", 32], ["--specialise", "--entries", 16]):
            done = kgrad("verify", kernel.path, *options, *given, *how, "--directions", 2, may_fail=True, env=env)
            if done.returncode and not done.stdout:
                raise refusal_of("verify", done)
            if done.returncode or not done.stdout.rstrip().endswith("\npassed"):
                wrong.append(f"verify {' '.join(map(str, [*options, *how]))}: {(done.stdout + done.stderr).strip()[-900:]}")
    for outputs, inputs in kernel.header.no_tapes:
        said = kgrad("grad", kernel.path, *kernel.options(outputs, inputs), "--explain").stderr
        if "shadow of" not in said or "kept" in said or "strip" in said:
            wrong.append(f"keeps something: {said.strip()[-600:]}")
    for outputs, inputs, reason in kernel.header.refusals:
        done = kgrad("grad", kernel.path, *kernel.options(outputs, inputs, any_type=True), may_fail=True)
        if done.returncode not in (1, 2) or f"[{reason}]" not in done.stderr:
            wrong.append(f"is not refused with {reason}: {(done.stdout + done.stderr).strip()[-600:]}")
    return wrong


def examine(source, how):
    slang = slang_of(source)
    header = data.Header((slang or source).read_text())
    with tempfile.TemporaryDirectory(prefix="kgrad-glsl-") as name:
        folder = pathlib.Path(name)
        compile_with(how, source, header, folder / "shader.spv")
        binary = folder / "shader.spv"
        foreign = None if header.unrunnable else run_foreign(header, binary, folder)
        fixed = specialised(header, binary, folder)
        kernel = Import(header, as_found(fixed, folder) if slang else fixed, folder)
        right, intervals = kernel.on_reference(folder)
        if header.unrunnable and not answers.formula_of(source.stem):
            raise Wrong("nobody says what is right: lavapipe cannot run it, and known.py has no formula")
        wrong = compare_all("the foreign binary", header, foreign, right, intervals) if foreign else []
        wrong += compare_all("the import on lavapipe", header, kernel.on_device(folder), right, intervals)
        return wrong or prove(kernel, folder, f"{source.name} {how}") + answers.wrong(source.stem, kernel, right, folder)


def judge(row, expected):
    """Whether it is as it should be, and what there is to say."""
    source, how = row
    try:
        wrong = examine(source, how)
    except NotYet as refusal:
        if refusal.identity == expected:
            return True, []
        return False, [str(refusal)]
    except (Wrong, differences.Wrong, OSError, ValueError, KeyError, StopIteration, subprocess.TimeoutExpired) as problem:
        return False, [f"{type(problem).__name__}: {problem}"]
    if expected:
        wrong.append(f"is taken now: strike `{source.name} {how}` from {NOT_YET.name}")
    return not wrong, wrong


NOT_YET = FOLDER / "not_yet.txt"


def not_yet():
    lines = [line for line in NOT_YET.read_text().splitlines() if line and not line.startswith("#")]
    return {tuple(line.partition(":")[0].split()): line.partition(":")[2].strip() for line in lines}


def rows(names):
    shaders = sorted([*FOLDER.glob("*.comp"), *FOLDER.glob("*.hlsl")])
    found = [(path, how) for path in shaders for how in ("plain", "optimised")]
    found += [(path, "assembled") for folder in (FOLDER, SLANG_FOLDER) for path in sorted(folder.glob("*.spvasm"))]
    return [row for row in found if not names or row[0].stem in names or row[0].name in names]


def main():
    names = sys.argv[1:]
    differences.software_devices()
    if os.environ.get("DEVICE_TESTS") == "no":
        print("note: without devices there is nothing to hold an import against\nkgtest: 1 passed, 0 failed")
        return 0
    expected, table = not_yet(), rows(names)
    if not names and "-fsanitize" in os.environ.get("KG_TEST_CFLAGS", ""):
        table = table[::8]  # sanitizers make everything slow
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (source, how), (fine, said) in zip(table, pool.map(lambda r: judge(r, expected.get((r[0].name, r[1]))), table)):
            passed, failed = passed + fine, failed + (not fine)
            print(f"{'PASS' if fine else 'FAIL'}: {source.name} {how}", flush=True)
            for line in said:
                print("    " + line.replace("\n", "\n    "))
    known = {(path.name, how) for path, how in rows([])}
    for name, how in sorted(set(expected) - known):
        failed += 1
        print(f"FAIL: {name} {how} is in {NOT_YET.name}, and is no shader")
    print(f"note: {len(expected)} of {len(known)} are not taken as yet")
    print(f"kgtest: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
