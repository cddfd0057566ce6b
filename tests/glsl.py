#!/usr/bin/env python3
"""Imports of foreign shaders, held against the shaders themselves.

    tests/glsl.py [NAME ...]

Each of tests/glsl/*.comp and *.hlsl is compiled without optimisation (glslangValidator) and with it (glslc -O); *.spvasm there and in
tests/slang are assembled. tests/foreign/data.py says what their `//!` lines mean (Slang's are in the source beside). Of each binary:

 - `kgrad show` imports it;
 - the import runs on the reference, with intervals, and on lavapipe; the binary itself runs on lavapipe through tests/foreign/foreign.c,
   which shares nothing with kgrad. Integers, and bytes that are only moved, must be the same. Floats must lie in the intervals, which
   hold whatever Vulkan allows a device to give. An interval that decides nothing (wider than WIDEST of the largest element)
   needs a `//! near` line, which states how far apart results may be;
 - bytes that no output of the import covers must be what they were;
 - `kgrad verify` proves each gradient that a `//! grad` line names, and `kgrad grad` refuses each of a `//! refused` line.

tests/glsl/not_yet.txt lists what is not taken as yet, with the diagnostic: a line NAME HOW: ID. One that is taken now fails.
A compiler that is not there is a failure.
"""
import array
import collections
import concurrent.futures
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import differences
from foreign import data

SOURCE = differences.SOURCE
BUILD = pathlib.Path(os.environ.get("abs_builddir") or SOURCE / "build")
FOLDER, SLANG_FOLDER = SOURCE / "tests" / "glsl", SOURCE / "tests" / "slang"
WIDEST = 2.0**-7
SUBGROUP = "8"  # lavapipe's
PACKED = {"bool": "u8"}
OP_SOURCE, SLANG = 3, 11


class Wrong(Exception):
    """What is wrong with a shader's import."""


class NotYet(Wrong):
    """It is refused, with a diagnostic's id."""

    def __init__(self, identity, said):
        super().__init__(said)
        self.identity = identity


def run(*words, may_fail=False):
    try:
        done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    except FileNotFoundError:
        raise Wrong(f"{words[0]} is not installed") from None
    if done.returncode and not may_fail:
        raise Wrong(f"{pathlib.Path(words[0]).name} gave {done.returncode}: {(done.stderr + done.stdout).strip()[-900:]}")
    return done


def kgrad(*words, may_fail=False):
    """A refusal has an id; anything else is a failure."""
    done = run(differences.KGRAD, *words, may_fail=True)
    if done.returncode and not may_fail:
        said = (done.stderr + done.stdout).strip()
        refusal = re.search(r": error: .*\[([a-z0-9-]+)\]$", said, re.M) if done.returncode == 1 else None
        raise NotYet(refusal[1], f"kgrad {words[0]}: {said[-900:]}") if refusal else Wrong(f"kgrad {words[0]}: {said[-900:]}")
    return done


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
        run("glslc", "-O", "-fshader-stage=compute", f"--target-env={header.target}", source, "-o", binary)


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


# --- the import -------------------------------------------------------------------

BUFFER = re.compile(r"^  buffer +(?P<name>\w+) : (?P<type>\w+)(?P<array>\[(?P<length>[^]]*)\])? (?P<mode>read_write|read|write)(?: in .*?)?"
                    r"(?: view\(set (?P<set>\d+), binding (?P<binding>\d+), offset (?P<offset>\d+), stride (?P<stride>\d+)\))?$", re.M)
PARAM = re.compile(r"^  param +(?P<name>\w+) : (?P<type>\w+)(?: = (?P<value>\S+))?", re.M)
CONST = re.compile(r"^  const +(?P<name>\w+)(?: : \w+)? = (?P<value>\S+)", re.M)


class View:
    """A buffer of the import, and the elements of the foreign block that it is."""

    def __init__(self, match, place, block, extent):
        self.name, self.kind, self.mode, self.block = match["name"], match["type"], match["mode"], block
        size = data.size_of(PACKED.get(self.kind, self.kind))
        self.place, self.offset, self.stride = place, int(match["offset"] or 0), int(match["stride"] or size)
        inside = max(len(block.data) - self.offset - size, -1) // self.stride + 1
        self.given, self.count = self.mode != "write" or extent is None, inside if extent is None else extent
        if self.count > inside:
            raise Wrong(f"{self.name} has {self.count} elements, and the foreign buffer holds {inside} of them")
        self.shape = [self.count]

    def scalars(self):
        return (data.Scalar(self.offset + k * self.stride, self.kind, None, None) for k in range(self.count))

    def take(self, block):
        return [scalar.read(block) for scalar in self.scalars()]


class Import:
    """The text that `kgrad show` prints of a binary, with the data of its params and buffers."""

    def __init__(self, header, binary, folder):
        self.header, self.path = header, folder / "import.kg"
        words = [word for i, kind, value in header.consts for word in ("--const", f"{i}={value}")]
        kgrad("show", binary, "--grid", header.grid, *words, "-o", self.path)
        self.text = self.path.read_text()
        self.params = self.values_of_params()
        self.views = [self.view_of(match) for match in BUFFER.finditer(self.text)]
        if len(self.views) != len(re.findall(r"^  buffer ", self.text, re.M)):
            raise Wrong("a buffer's declaration is not understood:\n" + self.text[:2000])

    def values_of_params(self):
        """By name where every one has the name of a member, else in order."""
        members = [s for b in [self.header.push, *(b for b in self.header.blocks if b.what == "uniform")] for s in b.scalars]
        often = collections.Counter(s.name for s in members)
        named, found = {s.name: s for s in members if often[s.name] == 1}, PARAM.finditer(self.text)
        declared = {m["name"]: m for m in found}
        if all(name in named for name in declared):
            return {name: (m["type"], named[name].value) for name, m in declared.items()}
        pushed = self.header.push.scalars
        if len(declared) == len(pushed):
            return {name: (m["type"], s.value) for (name, m), s in zip(declared.items(), pushed)}
        raise Wrong(f"the params {list(declared)} are not the push constants {[s.name for s in pushed]}")

    def view_of(self, match):
        place = (int(match["set"] or 0), int(match["binding"])) if match["binding"] else self.first_place(match)
        blocks = [b for b in self.header.blocks if b.what != "address" and b.place == place]
        if not blocks:
            raise Wrong(f"{match['name']} is of set {place[0]}, binding {place[1]}, which the shader has not")
        return View(match, place, blocks[0], self.extent_of(match))

    def first_place(self, match):
        """Without a view: in order, the bindings of set 0 that no view names."""
        named = {(int(m["set"] or 0), int(m["binding"])) for m in BUFFER.finditer(self.text) if m["binding"]}
        plain = [m["name"] for m in BUFFER.finditer(self.text) if not m["binding"]]
        free = [(0, k) for k in range(64) if (0, k) not in named]
        return free[plain.index(match["name"])]

    def extent_of(self, match):
        if not match["array"]:
            return 1
        if not match["length"].strip():
            return None
        names = {n: v for n, (_, v) in self.params.items()}
        names.update({m["name"]: int(m["value"]) for m in CONST.finditer(self.text) if re.fullmatch(r"\d+", m["value"])})
        extents = eval(match["length"].replace("/", "//"), {"__builtins__": {}, "min": min, "max": max}, names)
        return math.prod(extents) if isinstance(extents, tuple) else extents

    def words_of_params(self):
        return [word for name, (kind, value) in self.params.items() for word in ("--param", f"{name}={differences.literal(value)}")]

    def words_of_inputs(self, folder):
        words = []
        for view in self.views:
            if view.given:
                differences.write_npy(folder / f"{view.name}.npy", view.kind, view.take(view.block.data), view.shape)
                words += ["--in", f"{view.name}={folder / view.name}.npy"]
        return words

    def together(self, results):
        """The bytes of each block, from what each output holds; two outputs must not contradict each other."""
        blocks = [bytearray(block.data) for block in self.header.blocks]
        covered = [{} for _ in blocks]
        for view in self.views:
            if view.mode == "read":
                continue
            which = self.header.blocks.index(view.block)
            for scalar, value in zip(view.scalars(), results[view.name]):
                for k, byte in enumerate(data.Scalar(0, PACKED.get(view.kind, view.kind), None, value).pack()):
                    at = scalar.offset + k
                    if covered[which].setdefault(at, byte) != byte:
                        raise Wrong(f"{view.name} and another view of its binding give byte {at} differently")
                    blocks[which][at] = byte
        return blocks

    def on_reference(self, folder):
        """The blocks, and the interval of each float by block and offset."""
        words = []
        for name, (kind, value) in self.params.items():
            (folder / f"{name}.param").write_bytes(data.Scalar(0, PACKED.get(kind, kind), None, value).pack())
            words.append(f"{name}={folder / name}.param")
        for view in self.views:
            path = folder / f"{view.name}.bytes"
            path.write_bytes(b"".join(bytes(view.block.data[s.offset:s.offset + data.size_of(view.kind)]) for s in view.scalars()))
            words.append(f"{view.name}={path}")
        run(BUILD / "tests" / "foreign" / "intervals", self.path, SUBGROUP, *words)
        results, intervals = {}, [{} for _ in self.header.blocks]
        for view in self.views:
            path = folder / f"{view.name}.bytes"
            low, high = (read_all("f64", path.with_name(path.name + end)) for end in (".low", ".high"))
            results[view.name] = read_all(view.kind, path)
            if view.mode != "read":
                spans = intervals[self.header.blocks.index(view.block)]
                spans.update({(s.offset, view.kind): span for s, span in zip(view.scalars(), zip(low, high))})
        return self.together(results), intervals

    def on_device(self, folder):
        outputs = [view for view in self.views if view.mode != "read"]
        words = [word for view in outputs for word in ("--out", f"{view.name}={folder / view.name}.out.npy")]
        kgrad("run", self.path, "--device", "llvmpipe", *self.words_of_params(), *self.words_of_inputs(folder), *words)
        return self.together({v.name: differences.read_npy(folder / f"{v.name}.out.npy", v.kind) for v in outputs})

    def names_at(self, places):
        """Of the float buffers that lie in bindings."""
        found = [v.name for v in self.views if ".".join(map(str, v.place)) in places and v.kind in differences.UNIT]
        if not found:
            raise Wrong(f"the import has no floats at {' '.join(places)}")
        return found


def read_all(kind, path):
    block = path.read_bytes()
    size = data.size_of(kind)
    return [data.Scalar(at, kind, None, None).read(block) for at in range(0, len(block), size)]


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
        if same(a, b) or (decides and low <= a <= high):
            continue
        if not decides and block.name in header.near:
            if not abs(a - b) <= header.near[block.name] * largest:
                off.append(f"byte {s.offset} is {a!r}, and {b!r} on the reference; allowed are {header.near[block.name]:g} of {largest:g}")
        else:
            off.append(f"byte {s.offset} is {a!r}, and {b!r} on the reference in [{low!r}, {high!r}]")
    return f"{len(off)} elements of {block.name} are off; {off[0]}" if off else None


def compare_all(who, header, got, right, intervals):
    said = [compare(header, which, got[which], right[which], intervals[which]) for which in range(len(header.blocks))]
    return [f"{who}: {line}" for line in said if line]


# --- gradients --------------------------------------------------------------------


def options_of(kernel, outputs, inputs):
    return [w for n in kernel.names_at(outputs) for w in ("--of", n)] + [w for n in kernel.names_at(inputs) for w in ("--wrt", n)]


def prove(kernel, folder):
    wrong = []
    for outputs, inputs in kernel.header.grads:
        options = options_of(kernel, outputs, inputs)
        kgrad("grad", kernel.path, *options)
        done = kgrad("verify", kernel.path, *options, *kernel.words_of_params(), *kernel.words_of_inputs(folder), "--device", "all",
                     "--entries", 32, "--directions", 2, may_fail=True)
        if done.returncode or not done.stdout.rstrip().endswith("\npassed"):
            wrong.append(f"verify {' '.join(options)}: {(done.stdout + done.stderr).strip()[-900:]}")
    for outputs, inputs, reason in kernel.header.refusals:
        done = kgrad("grad", kernel.path, *options_of(kernel, outputs, inputs), may_fail=True)
        if done.returncode != 1 or f"[{reason}]" not in done.stderr:
            wrong.append(f"is not refused with {reason}: {(done.stdout + done.stderr).strip()[-600:]}")
    return wrong


def examine(source, how):
    slang = slang_of(source)
    header = data.Header((slang or source).read_text())
    with tempfile.TemporaryDirectory(prefix="kgrad-glsl-") as name:
        folder = pathlib.Path(name)
        compile_with(how, source, header, folder / "shader.spv")
        binary = folder / "shader.spv"
        foreign = run_foreign(header, binary, folder)
        kernel = Import(header, as_found(binary, folder) if slang else binary, folder)
        right, intervals = kernel.on_reference(folder)
        wrong = compare_all("the foreign binary", header, foreign, right, intervals)
        wrong += compare_all("the import on lavapipe", header, kernel.on_device(folder), right, intervals)
        return wrong + prove(kernel, folder)


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
        table = table[::4]  # sanitizers make everything slow
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
