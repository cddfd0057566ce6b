"""An import as a kernel to run: its params and buffers, and where each lies in the blocks of bytes that the shader has."""
import math
import os
import pathlib
import re
import subprocess

import differences
from foreign import data

BUILD = pathlib.Path(os.environ.get("abs_builddir") or differences.SOURCE / "build")
SUBGROUP = "8"  # lavapipe's
PACKED = {"bool": "u8"}


class Wrong(Exception):
    """What is wrong with a shader's import."""


class NotYet(Wrong):
    """It is refused, with a diagnostic's id."""

    def __init__(self, identity, said):
        super().__init__(said)
        self.identity = identity


def run(*words, may_fail=False, env=None):
    try:
        done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, env=env)
    except FileNotFoundError:
        raise Wrong(f"{words[0]} is not installed") from None
    if done.returncode and not may_fail:
        raise Wrong(f"{pathlib.Path(words[0]).name} gave {done.returncode}: {(done.stderr + done.stdout).strip()[-900:]}")
    return done


def refusal_of(command, done):
    """With the id of the first diagnostic; without any it is a failure."""
    said = (done.stderr + done.stdout).strip()
    found = re.search(r": error: .*\[([a-z0-9-]+)\]$", said, re.M)
    return NotYet(found[1], f"kgrad {command}: {said[:900]}") if found else Wrong(f"kgrad {command}: {said[-900:]}")


def kgrad(*words, may_fail=False, env=None):
    done = run(differences.KGRAD, *words, may_fail=True, env=env)
    if done.returncode and not may_fail:
        raise refusal_of(words[0], done)
    return done


BUFFER = re.compile(r"^  buffer +(?P<name>\w+) : (?P<type>\w+)(?P<array>\[(?P<length>[^]]*)\])? (?P<mode>read_write|read|write)"
                    r"(?: in .*?)?(?: view\(set (?P<set>\d+), binding (?P<binding>\d+), offset (?P<offset>\d+), "
                    r"stride (?P<stride>\d+)(?:, row (?P<row>\d+) every (?P<every>\d+))?\))?$", re.M)
PARAM = re.compile(r"^  param +(?P<name>\w+) : (?P<type>\w+)(?: = (?P<value>\S+))?", re.M)
CONST = re.compile(r"^  const +(?P<name>\w+)(?: : \w+)? = (?P<value>\S+)", re.M)


class View:
    """A buffer of the import, and the elements of the foreign block that it is."""

    def __init__(self, match, block, extent, offset):
        self.name, self.kind, self.mode, self.block = match["name"], match["type"], match["mode"], block
        size = data.size_of(PACKED.get(self.kind, self.kind))
        self.offset, self.stride = offset, int(match["stride"] or size)
        self.row, self.every = int(match["row"] or 0), int(match["every"] or 0)
        inside = self.elements(len(block.data) - self.offset, size)
        self.given, self.count = self.mode != "write" or extent is None, inside if extent is None else extent
        if self.count > inside:
            raise Wrong(f"{self.name} has {self.count} elements, and the foreign buffer holds {inside} of them")
        self.shape = [self.count]

    def elements(self, room, size):
        """How many lie in that many bytes."""
        in_row = max(room - size, -1) // self.stride + 1
        if not self.row:
            return in_row
        rows = max(room, 0) // self.every
        return rows * self.row + min(self.row, max(room - rows * self.every - size, -1) // self.stride + 1)

    def place(self, k):
        return self.offset + (k // self.row * self.every + k % self.row * self.stride if self.row else k * self.stride)

    def scalars(self):
        return (data.Scalar(self.place(k), self.kind, None, None) for k in range(self.count))

    def take(self, block):
        return [scalar.read(block) for scalar in self.scalars()]


def member_of(name, members, pushed):
    """By the name of a param: that of a member, perhaps behind those of what holds it, with letters for a vector's components. A
    block of one member may have given its own."""
    plain = re.sub(r"_([xyzw])$", lambda m: f"_{'xyzw'.index(m[1])}", name)
    for fits in (lambda n, s: n == s, lambda n, s: s and n.endswith("_" + s)):
        found = [s for s in members if fits(name, s.name) or fits(plain, s.name)]
        if len(found) == 1:
            return found[0]
    if len(pushed) == 1:
        return pushed[0]
    raise Wrong(f"the param {name} is none of {[s.name for s in members]}, or several of them")


class Import:
    """The text that `kgrad show` prints of a binary, with the data of its params and buffers."""

    def __init__(self, header, binary, folder):
        self.header, self.path = header, folder / "import.kg"
        kgrad("show", binary, "-o", self.path)
        self.text = self.path.read_text()
        self.params = self.values_of_params()
        self.views = [self.view_of(match) for match in BUFFER.finditer(self.text)]
        if len(self.views) != len(re.findall(r"^  buffer ", self.text, re.M)):
            raise Wrong("a buffer's declaration is not understood:\n" + self.text[:2000])

    def values_of_params(self):
        pushed = self.header.push.scalars
        members = [*pushed, *(s for b in self.header.blocks if b.what == "uniform" for s in b.scalars)]
        groups = [data.Scalar(0, "u32", f"groups_{axis}", int(n)) for axis, n in zip("xyz", self.header.grid.split(","))]
        declared = {m["name"]: m["type"] for m in PARAM.finditer(self.text)}
        return {name: (kind, member_of(name, [*groups, *members], pushed).value) for name, kind in declared.items()}

    def view_of(self, match):
        """Without a place it is the next binding of set 0, or, beside buffers that have one, an array of push constants."""
        plain = [m["name"] for m in BUFFER.finditer(self.text) if not m["binding"]]
        if not match["binding"] and len(plain) < len(BUFFER.findall(self.text)):
            start = member_of(f"{match['name']}_0", self.header.push.scalars, []).offset
            return View(match, self.header.push, self.extent_of(match), start)
        place = (int(match["set"]), int(match["binding"])) if match["binding"] else (0, plain.index(match["name"]))
        blocks = [b for b in self.header.blocks if self.place_of(b) == place]
        if not blocks:
            raise Wrong(f"{match['name']} is of set {place[0]}, binding {place[1]}, which the shader has not")
        return View(match, blocks[0], self.extent_of(match), int(match["offset"] or 0))

    def place_of(self, block):
        """What pointers lead to, and each descriptor of an array, lies behind the last binding of the last set, in their order."""
        if block.what != "address" and len(block.place) == 2:
            return block.place
        last = max((b.place[:2] for b in self.header.blocks if b.what != "address"), default=(0, -1))
        pointers = [s.name for s in self.header.push.scalars if s.kind == "address"]
        several = [b.name for b in self.header.blocks if b.what != "address" and len(b.place) > 2]
        return last[0], last[1] + 1 + [*several, *pointers].index(block.name)

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

    def words_of_inputs(self, folder, taken=None):
        """Of the buffers that are given, or of those names."""
        words = []
        for view in self.views:
            if view.given if taken is None else view.name in taken:
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

    def views_at(self, places, any_type=False):
        """Of floats, or of anything."""
        found = [v for v in self.views if v.block.name in places and (any_type or v.kind in differences.UNIT)]
        if not found:
            raise Wrong(f"the import has no floats at {' '.join(places)}")
        return found

    def options(self, outputs, inputs, any_type=False):
        """Of `kgrad grad`: the views that are stored to at some bindings, by those that are an input at others."""
        of = [v.name for v in self.views_at(outputs, any_type) if v.mode != "read"]
        wrt = [v.name for v in self.views_at(inputs, any_type) if v.mode != "write"]
        return [w for n in of for w in ("--of", n)] + [w for n in wrt for w in ("--wrt", n)]


def read_all(kind, path):
    block = path.read_bytes()
    size = data.size_of(kind)
    return [data.Scalar(at, kind, None, None).read(block) for at in range(0, len(block), size)]
