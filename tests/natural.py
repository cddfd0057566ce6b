#!/usr/bin/env python3
"""Kernels as people write them on their first day (tests/natural/NAME.kg), with gradients that are known.

    tests/natural.py [--rebase] [NAME ...]

--rebase writes into the table what is accepted now, and what is refused with which diagnostic; then another run judges it.

tests/natural/expected.txt has a line for each kernel and question: the name, options of `kgrad verify`, and behind a colon what is
to come of it: `passed`, or `refused` and the diagnostic. A refused one that is accepted fails here, and then its line is changed.
Of each:

 - `kgrad check --run` finds neither a race, nor misuse, nor an access out of bounds;
 - the primal, in f64 on the reference, gives what tests/natural/known.py says, where that knows the kernel;
 - `kgrad verify` passes on all devices;
 - the gradient's own formulas, in f64 on the reference and with garbage in all that is undefined on entry, give what known.py says;
   where that does not know the kernel, tests/differences.py judges it.

What known.py says of a gradient is held against differences of what it says of the outputs, along one direction.

Data, f64 twins and files are those of tests/differences.py, and so are the `// differences:` lines of kernels.
"""
import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import re
import shlex
import sys
import tempfile

import differences

FOLDER = differences.SOURCE / "tests" / "natural"
sys.path.insert(0, str(FOLDER))
import known  # noqa: E402  (it stands in the folder of its kernels)

TOLERANCE = 2.0**-21  # of the largest entry: literals of f32 are what is rough in a twin


class Question:
    """A line of the table."""

    def __init__(self, line):
        words, _, expected = line.rpartition(":")
        self.name, *self.options = shlex.split(words)
        self.label, self.path = words.strip(), FOLDER / f"{self.name}.kg"
        verdict = expected.split()
        self.refusal = verdict[1] if verdict[:1] == ["refused"] and len(verdict) == 2 else None
        if self.refusal is None and verdict != ["passed"]:
            raise ValueError(f"{line}: neither `passed` nor `refused ID`")


def questions():
    lines = (FOLDER / "expected.txt").read_text().splitlines()
    return [Question(line) for line in lines if line.strip() and not line.startswith("#")]


def kernel_of(question, folder):
    parser = argparse.ArgumentParser()
    for name in ("--of", "--wrt", "--param"):
        parser.add_argument(name, action="append", default=[])
    parser.add_argument("--tape-limit")
    options = parser.parse_args(question.options)
    options.seed, options.grad, options.const, options.device = 1, [], [], []
    return differences.Kernel(question.path, options, folder, differences.header(question.path.read_text()), {})


def data_words(kernel, folder):
    """Only what a header states; everything else is drawn by kgrad itself."""
    words = []
    for name, values in kernel.input.items():
        if kernel.stated("in", name):
            differences.write_npy(folder / f"{name}.npy", kernel.type[name], values, kernel.shape[name])
            words += ["--in", f"{name}={folder / name}.npy"]
    return words


def outcome(done):
    return (done.stdout + done.stderr).strip()[-900:]


def clean(question, words):
    done = differences.call("check", "--run", "--strict", question.path, *words, may_fail=True)
    return [f"check --run: {outcome(done)}"] if done.returncode else []


def differentiate(question):
    options = [w for w in question.options if not re.match(r"-p|--param|\w+=", w)]
    return differences.call("grad", question.path, *options, may_fail=True)


def rebase():
    table, lines = FOLDER / "expected.txt", []
    for line in table.read_text().splitlines():
        if line and not line.startswith("#"):
            refusal = re.search(r": error: .*\[([a-z-]+)\]$", differentiate(Question(line)).stderr, re.M)
            line = line.rpartition(":")[0] + (f": refused {refusal[1]}" if refusal else ": passed")
        lines.append(line + "\n")
    table.write_text("".join(lines))


def refused(question):
    done = differentiate(question)
    if done.returncode == 0:
        return [f"is accepted now, and not refused with {question.refusal}: change its line to `passed`"]
    if done.returncode != 1 or f"[{question.refusal}]" not in done.stderr or "fix:" not in done.stderr:
        return [f"is not refused with {question.refusal} and a fix: {outcome(done)}"]
    return []


def proved(question, words):
    devices = ["--device", "all"] if os.environ.get("DEVICE_TESTS") != "no" else []
    done = differences.call("verify", question.path, *question.options, *words, *devices, may_fail=True, env=differences.compiled_soonest(question.label))
    passed = done.returncode == 0 and done.stdout.rstrip().endswith("\npassed")
    return [] if passed else [f"verify: {outcome(done)}"]


def compared(what, got, expected, tolerance):
    """Against the largest entry, so that small ones may be as far off as large ones are."""
    if len(got) != len(expected):
        return [f"{what} has {len(got)} entries, and {len(expected)} are known"]
    allowed = tolerance * max(map(abs, expected), default=0.0)
    off = [(i, a, b) for i, (a, b) in enumerate(zip(got, expected)) if not abs(a - b) <= allowed]
    return [f"{what}: {len(off)} of {len(got)} are off; [{i}] is {a:.9g}, and known to be {b:.9g}" for i, a, b in off[:1]]


def answers(question, kernel):
    form = getattr(known, question.name, None)
    inputs = {**kernel.value, **kernel.input}
    return form(inputs, kernel.cotangent) if form else {}


def primal_is_known(question, kernel, folder, right):
    outputs = {n: v for n, v in right.items() if not n.startswith("d_")}
    results = differences.Twin(kernel, folder).one({}) if outputs else {}
    tolerance = known.TOLERANCE.get(question.name, TOLERANCE)
    return [w for n, v in outputs.items() for w in compared(n, results[n], v, tolerance)]


def known_is_consistent(question, kernel, right):
    """The outputs that known.py gives, moved along a direction of the inputs whose gradients it gives."""
    form, inputs, step, draw = getattr(known, question.name), {**kernel.value, **kernel.input}, 2.0**-22, random.Random(1)
    names = [n for n in inputs if f"d_{n}" in right]
    way = {n: [draw.uniform(0.25, 1.0) * draw.choice((-1, 1)) for _ in right[f"d_{n}"]] for n in names}

    def loss(h):
        at = {n: [v + h * u for v, u in zip(inputs[n], way[n])] for n in names if isinstance(inputs[n], list)}
        at.update({n: inputs[n] + h * way[n][0] for n in names if not isinstance(inputs[n], list)})
        outputs = form({**inputs, **at}, kernel.cotangent)
        return [v * w for n in kernel.of if n in outputs for v, w in zip(outputs[n], kernel.cotangent[n])]
    slope = math.fsum((a - b) / (2 * step) for a, b in zip(loss(step), loss(-step)))
    terms = [u * v for n in names for u, v in zip(way[n], right[f"d_{n}"])]
    if any(n in right for n in kernel.of) and abs(slope - math.fsum(terms)) > 1e-6 * math.fsum(map(abs, terms)):
        return [f"known.py contradicts itself: along a direction {math.fsum(terms):.9g}, and by differences {slope:.9g}"]
    return []


def by_differences(question, kernel):
    report = differences.judge(question.path, kernel.options)
    return [f"differences: {line}" for line in report.wrong[:3]]


def gradient_is_known(question, kernel, folder, right):
    asked = {n: right[f"d_{n}"] for n in kernel.wrt if f"d_{n}" in right}
    if not asked:
        return by_differences(question, kernel)
    gradient = differences.Gradient(kernel, folder)
    results, _ = gradient.in_f64()
    tolerance = known.TOLERANCE.get(question.name, TOLERANCE)
    wrong = [w for n, v in asked.items() for w in compared(f"the gradient by {n}", gradient.result(results, n), v, tolerance)]
    return wrong if any(map(any, asked.values())) else wrong + ["the known gradient is zero: nothing is shown"]


def judge(question):
    """What is wrong."""
    try:
        with tempfile.TemporaryDirectory(prefix="kgrad-natural-") as name:
            folder = pathlib.Path(name)
            kernel = kernel_of(question, folder)
            words, right = data_words(kernel, folder), answers(question, kernel)
            wrong = clean(question, words) + primal_is_known(question, kernel, folder, right)
            wrong += known_is_consistent(question, kernel, right) if right else []
            if question.refusal:
                return wrong + refused(question)
            return wrong + proved(question, words) + gradient_is_known(question, kernel, folder, right)
    except (differences.Wrong, OSError, ValueError, KeyError, ArithmeticError, TypeError) as problem:
        return [f"{type(problem).__name__}: {problem}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rebase", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    names = options.names
    if options.rebase:
        rebase()
    differences.software_devices()
    table = [q for q in questions() if not names or q.name in names]
    if not names and "-fsanitize" in os.environ.get("KG_TEST_CFLAGS", ""):
        table = table[::8]  # sanitizers make everything slow
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for question, wrong in zip(table, pool.map(judge, table)):
            passed, failed = passed + (not wrong), failed + bool(wrong)
            print(f"{'FAIL' if wrong else 'PASS'}: {question.label}")
            for line in wrong:
                print("    " + line.replace("\n", "\n    "))
    listed = {q.name for q in questions()}
    for name in sorted({p.stem for p in FOLDER.glob("*.kg")} ^ listed | {n for n in names if n not in listed}):
        failed += 1
        print(f"FAIL: {name} is not both a kernel and a line of the table")
    refusals = sum(q.refusal is not None for q in table)
    print(f"note: {refusals} of {len(table)} are refused as yet")
    print(f"kgtest: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
