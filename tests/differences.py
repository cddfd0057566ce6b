#!/usr/bin/env python3
"""Judges gradients by differences, and shares nothing with `kgrad verify` but `kgrad run`.

    tests/differences.py [KGRAD] FILE.kg ... [--of y] [--wrt x] [--param n=5] [--seed 2] [--device vulkan]

Without a file it takes every kernel of tests/gradients, as `make check` does.

The primal gets a twin in f64, made by text: every float type becomes f64, every
float literal is written f64(...). Inputs and cotangents are drawn here, from a
seed. Each entry of d<cotangents, outputs>/d(inputs) comes from central
differences of the twin on the reference, with the steps h and h/2 and Richardson's
(4 D(h/2) - D(h)) / 3; of more than 64 entries a random share is taken, and besides
random directions <v, J u> = <J'v, u>. Final contents of a buffer are an output if
the primal may store to it, contents on entry an input if it may load them: `of` and
`wrt` follow from the primal and the options alone. The gradient gets the primal's
inputs and the cotangents of `of`. A shadow that takes a cotangent and is declared
`write` is a failure. The primal's outputs are compared too, and `kgrad check --run` must find neither a race nor a read of what was never
written, in the primal first (then it is no kernel to be judged) and in the gradient.

The rule. Let m be the sum of abs(cotangent * d output / d input) over all outputs,
and M the largest m of the same buffer. An entry may be off by

    64 u max(m, M / 16)        u = 2^-24 in f32: 3.8e-6, the errors of 64 operations

plus what the differences may be off by, abs(D(h) - D(h/2)) and the rounding of the
outputs over h. Where halves are among the types, u is theirs and 16 stands for 64.

The gradient has a twin in f64 as well, by which its formulas are judged without the
noise of rounding: 2^-22 stands for 64 u there, since literals are rounded to f32 (in
kernels of f64 alone 1e-8). All that is not defined on entry holds garbage in this
run. How far the twin moves when inputs move by their last bit in f32 says what f32
can know of a result: eight times that much is added for the gradient itself.

Where the error of differences is more than a quarter of the tolerance at each of three steps, or
an entry is off and the slopes to its two sides stay apart, a kink lies close: such
entries are counted, and only few may be such.

What a kernel may state in comments, one a line:

    // differences: draw x = 0.5 .. 2     where values are drawn from
    // differences: param n = 5           length x = 12 (of a buffer with [])
    // differences: const N = 5           judged once more, as where a host sets the constant
    // differences: in x = -1 2 -3 4      the contents on entry (repeated if fewer)
    // differences: cotangent y = 1       the same of a cotangent
    // differences: right grad_x = 0 1    values that are right with these, of results or
    // differences: right grad_x[13] = 4  outputs; differences are then taken with drawn data
    // differences: values                no twin (bits are taken apart): judged by the values above alone
    // differences: zero                  all derivatives are zero
    // differences: kinks 3               at most so many entries lie on kinks
and in the first line, as tests/examples.sh has it, `// refused: id` or `// with: options`.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import zlib

SOURCE = pathlib.Path(os.environ.get("abs_srcdir") or pathlib.Path(__file__).resolve().parent.parent)
KGRAD = os.environ.get("KGRAD") or str(SOURCE / "build" / "kgrad")
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
CODE = {"bool": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
        "f16": "e", "f32": "f", "f64": "d", "bf16": "H"}
KIND = {"bool": "|b1", "bf16": "<V2"}
STEPS = 2.0**-17, 2.0**-23, 2.0**-12
GARBAGE = 97.0
LARGEST = 2.0**127
HUGE = 2.0**30  # an output that does not move is one that does not depend, unless it is so large that it hides what moves it
IN_F64 = "reference in f64"
BATCH = 64


class Wrong(Exception):
    """A kernel that cannot be judged, or is wrong as a whole."""


# --- arrays ---------------------------------------------------------------------


def rounded(kind, value):
    """The value as the type holds it."""
    if kind == "bf16":
        return struct.unpack("<f", struct.pack("<I", bf16_bits(value) << 16))[0]
    return struct.unpack("<" + CODE[kind], struct.pack("<" + CODE[kind], value))[0] if kind in UNIT else value


def bf16_bits(value):
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF


def write_npy(path, kind, values, shape):
    descr = KIND.get(kind) or "<" + {"b": "i", "B": "u", "h": "i", "H": "u", "i": "i", "I": "u", "q": "i", "Q": "u",
                                     "e": "f", "f": "f", "d": "f"}[CODE[kind]] + str(struct.calcsize("<" + CODE[kind]))
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    if kind == "bf16":
        values = [bf16_bits(v) for v in values]
    data = struct.pack(f"<{len(values)}{CODE[kind]}", *values)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)


def read_npy(path, kind):
    data = path.read_bytes()
    body = data[10 + struct.unpack("<H", data[8:10])[0]:]
    values = struct.unpack(f"<{len(body) // struct.calcsize('<' + CODE[kind])}{CODE[kind]}", body)
    return [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values] if kind == "bf16" else list(values)


# --- kernels as text --------------------------------------------------------------


def compiled_soonest(label):
    """The environment in which seven labels of eight compile without optimising: for the CPU in a quarter of the time, and on Mesa's
    software device, whose own passes are no part of kgrad, in three quarters."""
    if zlib.crc32(label.encode()) % 8 == 0:
        return None
    return {**os.environ, "CC": str(SOURCE / "tests" / "support" / "unoptimised"), "GALLIVM_PERF": "nopt"}


def call(*words, may_fail=False, env=None):
    done = subprocess.run([KGRAD, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, env=env)
    if done.returncode and not may_fail:
        raise Wrong(f"kgrad {words[0]} failed: {(done.stderr or done.stdout).strip()[:600]}")
    return done


DECLARATION = re.compile(r"  (?P<what>const|param|buffer) +(?P<name>\w+)(?: : (?P<type>\w+))?(?P<array>\[(?P<length>[^]]*)\])?"
                         r"(?: = (?P<value>\S+))?(?: (?P<mode>read_write|read|write|temp))?"
                         r"(?: in (?P<lo>.+?) \.\. (?P<hi>.+?))?(?: view\(.*\))?$")


def declarations(text):
    """What stands on the outermost level of a file as kgrad prints it, by name."""
    found = {}
    for line in text.splitlines():
        match = DECLARATION.match(line)
        if match:
            found[match["name"]] = match
    return found


TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|(?<![\w.])(?:\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|inf|nan)(?![\w.])'
                   r"|\b(?:f32|f16|bf16)\b")
NOT_STATEMENT = re.compile(r"\s*(?:const|param|buffer|shared|workgroup|grid|run|repeat)\b")


def twin_of(text):
    """The kernel with f64 for every float. Literals are what they are in f32, unless other types are about."""
    only_f32 = not re.search(r"\b(?:f16|bf16|f64)\b", text)
    scale = 4 if re.search(r"\b(?:f16|bf16)\b", text) else 2

    def statement(match):
        token = match[0]
        if token[0] == '"':
            return token
        if token in UNIT:
            return "f64"
        return f"f64({rounded('f32', float(token))!r})" if only_f32 and token[0].isdigit() else f"f64({token})"

    def declaration(line):
        line = re.sub(r"^( *(?:param|buffer) .*?) in .+? \.\. .+?(?=$| view\()", r"\1", line)
        line = re.sub(r"\b(offset|stride|every) (\d+)", lambda m: f"{m[1]} {int(m[2]) * scale}", line)
        line = re.sub(r"(const +\w+) = (?=-?(?:\d+[.e]|inf|nan))", r"\1 : f64 = ", line)
        return re.sub(r"\b(?:f32|f16|bf16)\b", "f64", line)

    lines = (declaration(line) if NOT_STATEMENT.match(line) else TOKEN.sub(statement, line) for line in text.splitlines())
    return "\n".join(lines) + "\n"


def header(source):
    """The `// differences:` lines as (word, name, rest)."""
    said = []
    for line in re.findall(r"^\s*// differences: *(.*)$", source, re.M):
        word, _, rest = line.strip().partition(" ")
        name, _, value = rest.partition("=")
        said.append((word, name.strip(), value.strip()))
    return said


class Kernel:
    """The primal: its text, what it declares, and its data."""

    def __init__(self, path, options, folder, said, consts):
        self.options, self.random, self.said, self.consts = options, random.Random(options.seed), said, consts
        self.source, self.path = path, folder / "primal.kg"
        self.text = self.specialized(call("show", path).stdout)
        self.path.write_text(self.text)
        self.is_module = self.text.startswith("module")
        self.declared = declarations(self.text)
        self.buffers = {n: d for n, d in self.declared.items() if d["what"] == "buffer" and d["mode"] != "temp"}
        self.params = {n: d for n, d in self.declared.items() if d["what"] == "param"}
        self.type = {n: d["type"] for n, d in {**self.buffers, **self.params}.items()}
        floats = [n for n, d in self.buffers.items() if d["type"] in UNIT]
        self.of = options.of or [n for n in floats if self.buffers[n]["mode"] != "read"]
        self.wrt = options.wrt or [n for n in floats if self.buffers[n]["mode"] != "write"]
        self.value = self.param_values()
        self.length, self.shape = {}, {}
        for name in self.declared:
            self.measure(name)
        self.input = {n: self.draw(n) for n, d in self.buffers.items() if d["mode"] != "write"}
        self.cotangent = {n: self.given("cotangent", n) or [self.weight() for _ in range(self.length[n])] for n in self.of}

    def specialized(self, text):
        """As a host compiles it that sets constants."""
        for name, value in self.consts.items():
            text = re.sub(rf"^( +const +{name}\b.* = )\S+$", rf"\g<1>{value}", text, flags=re.M)
        return text

    def stated(self, word, name):
        found = [rest for w, n, rest in self.said if (w, n) == (word, name)]
        return found[-1] if found else None

    def given(self, word, name):
        """An array that the header states, repeated up to its length."""
        text = self.stated(word, name)
        if text is None:
            return None
        kind = self.type[name]
        values = [rounded(kind, float(v)) if kind in UNIT else int(v, 0) for v in text.replace(",", " ").split()]
        return (values * (self.length[name] // len(values) + 1))[:self.length[name]]

    def weight(self):
        return rounded("f32", self.random.choice((-1, 1)) * self.random.uniform(0.25, 1.75))

    def param_values(self):
        values, given = {}, dict(p.split("=") for p in self.options.param)
        for name, d in self.params.items():
            text = given.get(name) or self.stated("param", name) or d["value"]
            if text is None:
                text = "true" if d["type"] == "bool" else str(self.random.uniform(0.5, 1.5)) if d["type"] in UNIT else "13"
            kind = d["type"]
            values[name] = text == "true" if kind == "bool" else rounded(kind, float(text)) if kind in UNIT else int(text, 0)
        return values

    def measure(self, name):
        """The length of a buffer, the number that a constant is."""
        d = self.declared[name]
        if d["what"] == "buffer" and name not in self.length:
            if d["array"] and not d["length"].strip():
                self.shape[name] = (int(self.stated("length", name) or 12),)
            else:
                self.shape[name] = self.extents(d["length"]) if d["array"] else (1,)
            self.length[name] = math.prod(self.shape[name])

    def extents(self, expression):
        value = self.number(expression)
        return value if isinstance(value, tuple) else (value,)

    def number(self, expression):
        """A length, a tuple of extents, or the bound of a range."""
        names = dict(self.value)
        for name, d in self.declared.items():
            if d["what"] == "const":
                whole = re.fullmatch(r"-?(?:\d+|0x[\da-fA-F]+)", d["value"])
                names[name] = int(d["value"], 0) if whole else d["value"] == "true" if d["value"][0] in "tf" else float(d["value"])

        def length_of(match):
            self.measure(match[1])
            return str(self.length[match[1]])

        text = re.sub(r"\blen\((\w+)\)", length_of, expression)
        if not re.search(r"\d\.\d|\de", text):
            text = text.replace("/", "//")
        return eval(text, {"__builtins__": {}, "min": min, "max": max, "inf": math.inf}, names)

    def draw(self, name):
        """An element from each of as many equal parts of the range, so that none are equal; never too close to zero."""
        d, n, kind = self.buffers[name], self.length[name], self.type[name]
        if self.stated("in", name):
            return self.given("in", name)
        stated = re.match(r"(\S+) \.\. (\S+)$", self.stated("draw", name) or "")
        lo, hi = (self.number(stated[1]), self.number(stated[2])) if stated else \
            (self.number(d["lo"]), self.number(d["hi"])) if d["lo"] else (-1.0, 1.0) if kind in UNIT else (0, 100)
        if kind == "bool":
            return [self.random.random() < 0.5 for _ in range(n)]
        if kind not in UNIT:
            return [self.random.randrange(int(lo), max(int(hi), int(lo) + 1)) for _ in range(n)]
        parts = [(i + self.random.uniform(0.1, 0.9)) / n for i in range(n)]
        self.random.shuffle(parts)
        values = [lo + (hi - lo) * p for p in parts]
        if lo < 0 < hi:
            values = [v + math.copysign(0.02, v) * min(-lo, hi) for v in values]
        return [rounded(kind, min(max(v, lo), lo + (hi - lo) * (1 - 2 * UNIT[kind]))) for v in values]


# --- the twin, many times ----------------------------------------------------------


class Twin:
    """Runs the primal in f64 on the reference. A copy is a dictionary of the inputs that are other ones."""

    def __init__(self, kernel, folder):
        self.k, self.folder = kernel, folder
        self.text = twin_of(kernel.text)
        self.kind = {n: "f64" if t in UNIT else t for n, t in kernel.type.items()}
        self.outputs = [n for n, d in kernel.buffers.items() if d["mode"] != "read"]
        self.alone = kernel.is_module or " view(" in kernel.text or any(v >= 2**63 for v in kernel.value.values())
        self.path = folder / "twin.kg"
        self.path.write_text(self.text)
        done = call("check", self.path, may_fail=True)
        if done.returncode:
            raise Wrong("no twin in f64 by text, and the header states no values: " + (done.stderr + done.stdout).strip()[:400])

    def run(self, copies):
        if self.alone:
            return [self.one(copy) for copy in copies]
        return [out for i in range(0, len(copies), BATCH) for out in self.batch(copies[i:i + BATCH])]

    def one(self, copy, path=None):
        words = ["run", path or self.path, "--device", "reference", "--threads", 1]
        for name, values in {**self.k.input, **{n: v for n, v in copy.items() if n in self.k.buffers}}.items():
            write_npy(self.folder / f"{name}.npy", self.kind[name], values, self.k.shape[name])
            words += ["--in", f"{name}={self.folder / name}.npy"]
        for name, value in {**self.k.value, **copy}.items():
            if name in self.k.params:
                words += ["--param", f"{name}={literal(value)}"]
        for name in self.outputs:
            words += ["--out", f"{name}={self.folder / name}.out.npy"]
        call(*words)
        return {n: read_npy(self.folder / f"{n}.out.npy", self.kind[n]) for n in self.outputs}

    def batch(self, copies):
        """One module that runs the program once for each copy; what a copy does not change is shared."""
        buffers, runs, words = [], [], []
        place = {}

        def array(name, suffix, mode, values):
            own = f"{name}_{suffix}"
            buffers.append(f"  buffer {own} : {self.kind[name]}[{self.k.length[name]}] {mode}")
            if values is not None:
                write_npy(self.folder / f"{own}.npy", self.kind[name], values, (len(values),))
                words.extend(["--in", f"{own}={self.folder / own}.npy"])
            return own

        for name, d in self.k.buffers.items():
            if d["mode"] == "read":
                place[name] = array(name, "all", "read", self.k.input[name])
        for i, copy in enumerate(copies):
            bound = dict(place)
            for name, d in self.k.buffers.items():
                if d["mode"] != "read":
                    bound[name] = array(name, f"c{i}", d["mode"], copy.get(name, self.k.input.get(name)))
                    words.extend(["--out", f"{bound[name]}={self.folder / bound[name]}.out.npy"])
                elif name in copy:
                    bound[name] = array(name, f"c{i}", "read", copy[name])
            bound.update((n, literal(copy.get(n, v))) for n, v in self.k.value.items())
            runs.append(f"  run {self.text.split()[1]}({', '.join(f'{n} = {v}' for n, v in bound.items())})")
        path = self.folder / "batch.kg"
        path.write_text("module differences_of_it {\n" + "\n".join(buffers) + "\n" + self.text + "\n".join(runs) + "\n}\n")
        call("run", path, "--device", "reference", "--threads", 1, *words)
        return [{n: read_npy(self.folder / f"{n}_c{i}.out.npy", self.kind[n]) for n in self.outputs} for i in range(len(copies))]


def literal(value):
    return str(value).lower() if isinstance(value, bool) else repr(value)


# --- differences --------------------------------------------------------------------


class Estimate:
    """What a derivative is by differences, what it may be off by, the sum of its terms' magnitudes, and the two slopes."""

    def __init__(self):
        self.value, self.error, self.magnitude, self.apart = math.nan, math.inf, 0.0, False

    def take(self, kernel, base, outs, h):
        (p1, m1), (p2, m2) = outs[0:2], outs[2:4]
        terms, rounding, slopes = ([], []), 0.0, [[], [], [], []]
        for name in kernel.of:
            for c, b, *v in zip(kernel.cotangent[name], base[name], p1[name], m1[name], p2[name], m2[name]):
                if c == 0 or v[0] == v[1] == v[2] == v[3] == b and abs(b) < HUGE:
                    continue
                terms[0].append(c * ((v[0] - v[1]) / (2 * h)))
                terms[1].append(c * ((v[2] - v[3]) / h))
                rounding += abs(c) * (abs(v[0]) + abs(v[1])) * 2.0**-51 / h
                for list_, d in zip(slopes, ((v[0] - b) / h, (b - v[1]) / h, 2 * (v[2] - b) / h, 2 * (b - v[3]) / h)):
                    list_.append(c * d)
        if not all(map(math.isfinite, terms[0] + terms[1])):
            return
        wide, close = math.fsum(terms[0]), math.fsum(terms[1])
        error = abs(wide - close) + rounding
        if error < self.error:
            s = [math.fsum(v) for v in slopes]
            self.value, self.error, self.magnitude = (4 * close - wide) / 3, error, math.fsum(map(abs, terms[1]))
            self.apart = abs(s[2] - s[3]) > 0.75 * abs(s[0] - s[1]) and abs(s[2] - s[3]) > 1e-3 * self.magnitude
            self.slopes = s[2:4]


def moved(kernel, direction, step):
    """The inputs after a step: {name: array, or a number for a param}. The direction holds {name: {index: amount}}."""
    copy = {}
    for name, parts in direction.items():
        if name in kernel.params:
            copy[name] = kernel.value[name] + step * parts[0]
        else:
            values = list(kernel.input[name])
            for i, amount in parts.items():
                values[i] += step * amount
            copy[name] = values
    return copy


def estimate(twin, directions, scales, good_enough, base):
    """Differences along each direction, with other steps for those that are not good enough."""
    found = [Estimate() for _ in directions]
    for step in STEPS:
        left = [i for i, e in enumerate(found) if not good_enough(e)]
        copies, h = [], {}
        for i in left:
            h[i] = 2.0**round(math.log2(step * scales[i]))
            copies += [moved(twin.k, directions[i], s * h[i]) for s in (1, -1, 0.5, -0.5)]
        outs = twin.run(copies)
        for j, i in enumerate(left):
            found[i].take(twin.k, base, outs[4 * j:4 * j + 4], h[i])
    return found


# --- the gradient ---------------------------------------------------------------------


class Gradient:
    def __init__(self, kernel, folder):
        self.k, self.folder, self.problems = kernel, folder, []
        words = [w for n in kernel.options.of for w in ("--of", n)] + [w for n in kernel.options.wrt for w in ("--wrt", n)]
        result = json.loads(call("grad", kernel.source, *words, *kernel.options.grad, "--json").stdout)["result"]
        self.text, self.map = kernel.specialized(result["text"]), {m["name"]: m["shadow"] for m in result["map"]}
        self.buffers = {n: d for n, d in declarations(self.text).items() if d["what"] == "buffer"}
        self.holds = {}
        for name in kernel.of:
            shadow = self.map.get(name)
            if shadow is None:
                continue
            if shadow not in self.buffers or self.buffers[shadow]["mode"] not in ("read", "read_write"):
                self.problems.append(f"{shadow} holds the cotangent of {name} on entry and is declared "
                                     + (self.buffers[shadow]["mode"] if shadow in self.buffers else "nowhere"))
            self.holds[shadow] = kernel.cotangent[name]
        (folder / "gradient.kg").write_text(self.text)

    def shape(self, name):
        if name in self.k.shape:
            return self.k.shape[name]
        of = [n for n, shadow in self.map.items() if shadow == name]
        if of:
            return self.k.shape.get(of[0], (1,))
        d = self.buffers[name]
        return self.k.extents(d["length"]) if d["array"] else (1,)

    def inputs(self, read_write=False, f64=False, near=None):
        """The words that give the gradient its inputs, and the names of its outputs."""
        words, outs, declared = [], [], declarations(self.text)
        for name, d in self.buffers.items():
            mode = "read_write" if read_write and d["mode"] == "write" else d["mode"]
            kind = "f64" if f64 and d["type"] in UNIT else d["type"]
            if mode in ("read", "read_write"):
                garbage = [GARBAGE if kind in UNIT else 97] * math.prod(self.shape(name))
                values = (near or self.k.input).get(name) or self.holds.get(name) or garbage
                write_npy(self.folder / f"{name}.npy", kind, values, self.shape(name))
                words += ["--in", f"{name}={self.folder / name}.npy"]
            if mode in ("write", "read_write"):
                outs.append((name, kind))
        return words + [w for n, v in self.k.value.items() if n in declared and declared[n]["what"] == "param"
                        for w in ("--param", f"{n}={literal(v)}")], outs

    def run(self, device, file="gradient.kg", **how):
        """The results by name."""
        words, outs = self.inputs(**how)
        files = [w for n, _ in outs for w in ("--out", f"{n}={self.folder / n}.out.npy")]
        call("run", self.folder / file, "--device", device, *words, *files)
        return {n: read_npy(self.folder / f"{n}.out.npy", kind) for n, kind in outs}

    def result(self, results, name):
        """The gradient by an input. A shadow that is only read is left as it was: the cotangent is the gradient."""
        shadow = self.map.get(name)
        return results.get(shadow) or self.holds.get(shadow) or [0.0] * self.k.length.get(name, 1)

    def nudged(self, name):
        """An input with each float a last bit off."""
        values = self.k.input[name]
        unit = UNIT.get(self.k.type[name])
        return [v * (1 + self.k.random.choice((-1, 1)) * unit) for v in values] if unit else values

    def in_f64(self):
        """The results of its twin, with garbage in all that is not defined on entry; and for each how far it moves when inputs
        move by their last bit. Both are None where bits are taken apart."""
        open_ended = re.sub(r"^(  buffer +\w+ : .*) write\b", r"\1 read_write", self.text, flags=re.M)
        (self.folder / "garbage.kg").write_text(twin_of(open_ended))
        if call("check", self.folder / "garbage.kg", may_fail=True).returncode:
            return None, None
        how = {"file": "garbage.kg", "read_write": True, "f64": True}
        right, moved_by = self.run("reference", **how), {}
        for _ in range(2):
            near = {n: self.nudged(n) for n in self.k.input}
            for name, values in self.run("reference", near=near, **how).items():
                by = [abs(a - b) if math.isfinite(a - b) else 0.0 for a, b in zip(values, right[name])]
                moved_by[name] = list(map(max, by, moved_by.get(name, by)))
        return right, moved_by


# --- judging ----------------------------------------------------------------------------


def unit_of(kernel, device="reference"):
    """What an entry may be off by, relative."""
    unit = max((UNIT[t] for t in re.findall(r"\b(?:f16|bf16|f32|f64)\b", kernel.text)), default=2.0**-24)
    if device == IN_F64:
        return 2.0**-22 if unit > 2.0**-53 else 1e-8
    return 16 * unit if unit > 2.0**-24 else max(64 * unit, 1e-8)


def choose(kernel):
    """The entries that are looked at one by one, and the random directions."""
    entries = [(n, i) for n in kernel.wrt for i in range(kernel.length.get(n, 1))]
    if len(entries) <= 64:
        return entries, []
    some = []
    for n in kernel.wrt:
        length = kernel.length.get(n, 1)
        share = kernel.random.sample(range(length), min(length, max(4, 32 // len(kernel.wrt))))
        some += [(n, i) for i in sorted({0, length - 1, *share})]
    return some, [direction(kernel, entries) for _ in range(2)]


def direction(kernel, entries):
    parts = {}
    for n, i in entries:
        sign = kernel.random.choice((-1, 1))
        parts.setdefault(n, {})[i] = sign * kernel.random.uniform(0.25, 1.0) * scale_of(kernel, n, i)
    return parts


def scale_of(kernel, name, i):
    values = [kernel.value[name]] if name in kernel.params else kernel.input[name]
    mean = math.sqrt(math.fsum(v * v for v in values) / len(values)) if all(map(math.isfinite, values)) else 1.0
    return max(abs(values[i]), mean) or 1.0


def watch(kernel, gradient, folder):
    """What the reference's watch says of the gradient; a primal that it objects to is not judged."""
    words = [w for n, v in kernel.value.items() for w in ("--param", f"{n}={literal(v)}")]
    for name, values in kernel.input.items():
        write_npy(folder / f"{name}.npy", kernel.type[name], values, kernel.shape[name])
        words += ["--in", f"{name}={folder / name}.npy"]
    done = call("check", "--run", kernel.path, *words, may_fail=True)
    if done.returncode:
        raise Wrong("the primal itself is no valid kernel: " + (done.stdout + done.stderr)[:400])
    done = call("check", "--run", folder / "gradient.kg", *gradient.inputs()[0], may_fail=True)
    return ["the gradient under watch: " + (done.stdout + done.stderr).replace(f"{folder}/", "")[:500]] if done.returncode else []


class Report:
    def __init__(self):
        self.wrong, self.kinks, self.lines, self.judged, self.worst = [], [], [], 0, 0.0
        self.kernel = self.moved = None

    def slack(self, name, i, device):
        """What rounding may do where inputs that are off in their last bit do as much."""
        return 8 * self.moved[name][i] if self.moved and device != IN_F64 and name in self.moved else 0.0

    def compare(self, what, device, got, expected, allowed):
        self.judged += 1
        off = abs(got - expected) if got != expected else 0.0
        if math.isnan(got) and math.isnan(expected):
            return
        if not off <= allowed:
            self.wrong.append(f"{what} on {device}: got {got:.9g}, expected {expected:.9g}, may be off by {allowed:.2g}")
        elif allowed:
            self.worst = max(self.worst, off / allowed)

    def against(self, what, device, got, e, allowed):
        """Holds a derivative against an estimate, which may be of no use."""
        self.lines.append(f"{what} on {device}: got {got:.9g}, expected {e.value:.9g}, may be off by {allowed + e.error:.2g}")
        off = not abs(got - e.value) <= allowed + e.error
        if e.magnitude > LARGEST or e.error > max(allowed / 4, 1e-300) or off and e.apart:
            why = f"slopes {e.slopes[1]:.6g} and {e.slopes[0]:.6g}" if e.apart else f"may be off by {e.error:.2g}"
            self.kinks.append(f"{what} on {device}: got {got:.9g}, differences say {e.value:.9g}, {why}")
        else:
            self.compare(what, device, got, e.value, allowed + e.error)


def judge_values(report, results, device):
    """What the header says is right."""
    for word, name, rest in report.kernel.said:
        if word != "right":
            continue
        name, _, index = name.partition("[")
        if name not in results:
            report.wrong.append(f"{name} on {device}: no result")
            continue
        values = [float(v) for v in rest.replace(",", " ").split()]
        largest = max(map(abs, values)) if report.kernel.type.get(name, "f32") in UNIT else 0.0
        for i in [int(index[:-1])] if index else range(len(results[name])):
            v = values[0 if index else i % len(values)]
            allowed = unit_of(report.kernel) * max(abs(v), largest / 16) + report.slack(name, i, device) if largest else 0.0
            report.compare(f"{name}[{i}], stated,", device, results[name][i], v, allowed)


def judge_outputs(report, twin, results, device, base):
    """What the primal leaves behind, where it stores at all."""
    k = report.kernel
    for name, expected in base.items():
        largest = max((abs(v) for v in expected if math.isfinite(v)), default=0.0) if k.type[name] in UNIT else 0.0
        for i, (v, got) in enumerate(zip(expected, results[name])):
            if v != twin.marked[name][i] or abs(v) > LARGEST and math.isinf(got):
                continue
            allowed = unit_of(k, device) * max(abs(v), largest / 16) + report.slack(name, i, device) if largest else 0.0
            report.compare(f"{name}[{i}]", device, got, v, allowed)


def judge_entries(report, entries, directions, found, results, device, gradient):
    k, unit, largest = report.kernel, unit_of(report.kernel, device), {}
    for (n, _), e in zip(entries, found):
        largest[n] = max(largest.get(n, 0.0), e.magnitude)
    given = {n: gradient.result(results, n) for n in k.wrt}
    slack = lambda n, i: report.slack(gradient.map.get(n), i, device)
    for (n, i), e in zip(entries, found):
        allowed = unit * max(e.magnitude, largest[n] / 16) + slack(n, i)
        report.against(f"{gradient.map.get(n, n)}[{i}]", device, given[n][i], e, allowed)
    for j, (d, e) in enumerate(zip(directions, found[len(entries):])):
        terms = [amount * given[n][i] for n, parts in d.items() for i, amount in parts.items()]
        loose = math.fsum(abs(amount) * slack(n, i) for n, parts in d.items() for i, amount in parts.items())
        size = math.fsum(map(abs, terms)) if all(map(math.isfinite, terms)) else 0.0
        report.against(f"direction {j}", device, sum(terms), e, unit * max(size, e.magnitude) + loose)


def mark(twin):
    """The twin's outputs where `write` buffers hold garbage on entry: what is not stored keeps it."""
    k, path = twin.k, twin.folder / "marked.kg"
    text = re.sub(r"^(\s*buffer +\w+ : .*) write\b", r"\1 read_write", twin.text, flags=re.M)
    path.write_text(re.sub(r"(program +\w+) adjoint \w+", r"\1", text))  # an adjoint may hold its program to `write`
    garbage = {n: [GARBAGE if k.type[n] in UNIT else 97] * k.length[n] for n in twin.outputs if n not in k.input}
    return twin.one(garbage, path)


def judge(path, options):
    """The report of one kernel; None for one that is refused and says so."""
    source = path.read_text(encoding="utf-8", errors="replace")
    first = source.partition("\n")[0]
    if first.startswith("// refused: "):
        return None
    if first.startswith("// with: "):
        options = with_words(options, shlex.split(first[len("// with: "):]))
    said = header(source)
    words = {w for w, _, _ in said}
    consts = {**{n: v for w, n, v in said if w == "const"}, **dict(c.split("=") for c in options.const)}
    drawn = [line for line in said if line[0] not in ("in", "cotangent", "right")] if "right" in words else said
    passes = [] if "values" in words else [(drawn, {})]
    passes += [(drawn, consts)] * bool(consts) + [(said, {})] * ("right" in words)
    report = Report()
    for lines, values in passes:
        with tempfile.TemporaryDirectory(prefix="kgrad-differences-") as name:
            judge_once(report, Kernel(path, options, pathlib.Path(name), lines, values), pathlib.Path(name))
    if not passes:
        report.wrong.append("the header asks for values alone, and states none")
    return report


def with_words(options, words):
    """The options, and those of the first line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--of", action="append", default=[])
    parser.add_argument("--wrt", action="append", default=[])
    stated, rest = parser.parse_known_args(words)
    return argparse.Namespace(**{**vars(options), "of": options.of or stated.of, "wrt": options.wrt or stated.wrt, "grad": rest})


def judge_once(report, kernel, folder):
    """With one set of data: what the header says is right, or else differences."""
    gradient, report.kernel = Gradient(kernel, folder), kernel
    if any(not re.search(rf"^ +const +{n}\b", gradient.text, re.M) for n in kernel.consts):
        return  # what a host cannot set any more cannot be set wrongly
    report.wrong += gradient.problems + watch(kernel, gradient, folder)
    # Values of subgroup operations go by the subgroup's size, which a device chooses; `kgrad verify` gives the reference that size.
    others = [] if "subgroup" in kernel.text else kernel.options.device
    results = {device: gradient.run(device) for device in ["reference", *others]}
    in_f64, report.moved = gradient.in_f64()
    if any(w == "right" for w, _, _ in kernel.said):
        for device, r in results.items():
            judge_values(report, r, device)
        return
    if in_f64:
        results[IN_F64] = in_f64
    before, report.kinks = report.kinks, []
    by_differences(report, folder, gradient, results)
    allowed = kernel_kinks(kernel)
    if len(report.kinks) > allowed * len(results):
        report.wrong.append(f"{len(report.kinks)} entries lie on kinks, or differences cannot tell: at most {allowed} a device may")
        report.wrong += report.kinks[:8]
    report.kinks = before + report.kinks


def kernel_kinks(kernel):
    stated = [n for w, n, _ in kernel.said if w == "kinks"]
    return int(stated[0]) if stated else 1 + sum(kernel.length.get(n, 1) for n in kernel.wrt) // 32


def by_differences(report, folder, gradient, results):
    kernel = report.kernel
    twin = Twin(kernel, folder)
    twin.marked = mark(twin)
    base = twin.run([{}])[0]
    entries, directions = choose(kernel)
    every = [{n: {i: 1.0}} for n, i in entries] + directions
    scales = [scale_of(kernel, n, i) for n, i in entries] + [1.0] * len(directions)
    good = lambda e: e.error <= unit_of(kernel, IN_F64) * e.magnitude / 8
    found = estimate(twin, every, scales, good, base)
    if all(e.value == 0 for e in found) and kernel.stated("zero", "") is None:
        report.wrong.append("all derivatives are zero: nothing is shown")
    for device, r in results.items():
        judge_outputs(report, twin, r, device, base)
        judge_entries(report, entries, directions, found, r, device, gradient)


def attempt(path, options):
    try:
        return path, judge(path, options), None
    except (Wrong, subprocess.TimeoutExpired) as problem:
        return path, None, str(problem)
    except (ArithmeticError, KeyError, OSError, SyntaxError, TypeError, ValueError) as problem:
        return path, None, f"this script cannot judge it: {type(problem).__name__}: {problem}"


def software_devices():
    """As tests/environment: no result depends on the machine's own hardware."""
    found = sorted(map(str, pathlib.Path("/usr/share/vulkan/icd.d").glob("lvp_icd.*.json")))
    if "VK_DRIVER_FILES" not in os.environ:
        os.environ["VK_DRIVER_FILES"] = os.environ["VK_ICD_FILENAMES"] = ":".join(found)
    return ["vulkan"] if os.environ.get("DEVICE_TESTS", "yes" if found else "no") == "yes" else []


def main():
    global KGRAD
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE.kg")
    parser.add_argument("--of", action="append", default=[])
    parser.add_argument("--wrt", action="append", default=[])
    parser.add_argument("--param", action="append", default=[], help="name=value")
    parser.add_argument("--const", action="append", default=[], help="name=value: judged with this constant too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", action="append", help="besides the reference (vulkan, on software devices); none for no other")
    parser.add_argument("--all", action="store_true", help="show every entry")
    options = parser.parse_intermixed_args()
    options.grad = []
    devices = software_devices()
    options.device = devices if options.device is None else [d for d in options.device if d != "none"]
    if options.files and options.files[0].suffix not in (".kg", ".kgb"):
        KGRAD = str(options.files.pop(0).resolve())
    by_hand = bool(options.files)
    files = options.files or sorted((SOURCE / "tests" / "gradients").glob("*.kg"))
    if not by_hand and "-fsanitize" in os.environ.get("KG_TEST_CFLAGS", ""):
        files = files[::8]  # sanitizers make everything slow, and tests/examples.sh runs them all
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, report, problem in pool.map(lambda p: attempt(p, options), files):
            if report is None and not problem:
                continue
            wrong = [problem] if problem else report.wrong
            passed, failed = passed + (not wrong), failed + bool(wrong)
            show(path, report, wrong, by_hand, options.all)
    print(f"kgtest: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def show(path, report, wrong, by_hand, everything):
    seen = f": {report.judged} values, at most {report.worst:.0%} of the tolerance, {len(report.kinks)} on kinks" if report else ""
    print(f"{'FAIL' if wrong else 'PASS'}: {path.name}{seen}")
    lines = report.lines + wrong if report and everything else wrong[:12]
    lines += [f"and {len(wrong) - 12} more"] if len(wrong) > 12 and not everything else []
    lines += [f"kink: {kink}" for kink in report.kinks[:8]] if by_hand and report else []
    for line in lines:
        print("    " + line.rstrip().replace("\n", "\n    "))


if __name__ == "__main__":
    sys.exit(main())
