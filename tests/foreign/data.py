"""What the headers of foreign shaders say of their data: `//!` lines, and layouts of bytes with values.

    //! target vulkan1.2                     for the compiler; without it vulkan1.0
    //! grid 4,1,1                           workgroups
    //! const 3 = u32 64                     a specialization constant, by its id
    //! buffer 0.1 = f32[64] -1..1, 64 * (f32[3] 0, u32 0..9)    a storage buffer, by set and binding
    //! buffer 0.3.1 = f32[8]                 one of an array of them, by its index
    //! uniform 0.2 = f32 0.5, pad 12        a uniform buffer
    //! address p = f32[8] 1                 a buffer that the push constants name: push = p: address
    //! push = n: u32 64, m: f32[2][2] 0.5   push constants; names are those of the members, vectors are arrays here
    //! grad 0.1 by 0.0                      this output has a gradient by that input, which `kgrad verify` proves
    //! no_tape 0.1 by 0.0                   that gradient keeps nothing of the forward sweep
    //! refused 0.1 by 0.0 ID                or none, for that reason
    //! unrunnable                       lavapipe cannot run it: known.py alone says what is right
    //! near 0.1 1e-5                        how far results may be apart, of the largest, beside their intervals

A layout is a list of items: TYPE VALUE, TYPE[COUNT] VALUE, COUNT * (items), pad BYTES. A value is a number, `lo..hi` (drawn),
`iota`, or `{a b c}` (in turn); without one it is 0. Numbers lie as closely as items are listed; alignment is the header's to
state. A line that ends with a comma goes on in the next.
"""
import dataclasses
import itertools
import random
import re
import struct

CODE = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
        "f16": "e", "f32": "f", "f64": "d", "address": "Q"}
ITEM = re.compile(r"(?:(?P<name>\w+)\s*:\s*)?(?P<type>[a-z]+\d*)(?P<extents>(?:\[\d+\])*)\s*(?P<value>.*)$")


def size_of(kind):
    return struct.calcsize(CODE[kind])


@dataclasses.dataclass
class Scalar:
    """One number of a buffer. The name of an array's element has its indices: m_0_1."""
    offset: int
    kind: str
    name: str
    value: object

    def pack(self):
        return struct.pack("<" + CODE[self.kind], self.value)

    def read(self, data):
        return struct.unpack_from("<" + CODE[self.kind], data, self.offset)[0]


def parts(text):
    """The items of a list, split at the commas outside of parentheses."""
    depth, part, found = 0, "", []
    for c in text + ",":
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            found.append(part.strip())
            part = ""
        else:
            part += c
    return found


def number(kind, text):
    return float(text) if kind[0] == "f" else int(text, 0)


def values(kind, text, count, draw):
    span = re.fullmatch(r"(\S+?)\.\.(\S+)", text)
    if kind == "address":
        return [0] * count
    if span:
        low, high = number(kind, span[1]), number(kind, span[2])
        return [draw.uniform(low, high) if kind[0] == "f" else draw.randint(low, high) for _ in range(count)]
    if text == "iota":
        return [number(kind, str(k)) for k in range(count)]
    cycle = text[1:-1].split() if text.startswith("{") else [text or "0"]
    return [number(kind, cycle[k % len(cycle)]) for k in range(count)]


def layout(text, draw, offset=0, around=()):
    """The scalars of a layout, and the byte behind it. `around` are the indices of the repetitions that it stands in."""
    found = []
    for part in parts(text):
        many = re.fullmatch(r"(\d+)\s*\*\s*\((.*)\)", part)
        if many:
            for k in range(int(many[1])):
                inner, offset = layout(many[2], draw, offset, (*around, k))
                found += inner
            continue
        if part.startswith("pad "):
            offset += int(part[4:])
            continue
        item = ITEM.fullmatch(part)
        if not item or item["type"] not in CODE:
            raise ValueError(f"not an item of a layout: {part}")
        places = list(itertools.product(*(range(int(n)) for n in re.findall(r"\d+", item["extents"]))))
        for place, value in zip(places, values(item["type"], item["value"].strip(), len(places), draw)):
            name = "_".join([item["name"], *map(str, around + place)]) if item["name"] else None
            found.append(Scalar(offset, item["type"], name, value))
            offset += size_of(item["type"])
    return found, offset


class Block:
    """The bytes of one buffer, with what lies where."""

    def __init__(self, what, name, text, draw):
        self.what, self.name = what, name
        self.scalars, size = layout(text, draw)
        self.data = bytearray(size)
        for scalar in self.scalars:
            self.data[scalar.offset:scalar.offset + size_of(scalar.kind)] = scalar.pack()
            scalar.value = scalar.read(self.data)  # rounded to its type

    @property
    def place(self):
        """Set and binding."""
        return tuple(int(word) for word in self.name.split("."))


class Header:
    """What a shader's `//!` lines say."""

    def __init__(self, source):
        draw = random.Random(7)
        self.target, self.grid, self.entry = "vulkan1.0", "1,1,1", "main"
        self.blocks, self.consts, self.grads, self.refusals, self.near = [], [], [], [], {}
        self.no_tapes, self.unrunnable = [], False
        self.push = Block("push", "", "pad 0", draw)
        for line in re.findall(r"^\s*(?://|;)! *(.*)$", re.sub(r",\n\s*(?://|;)! *", ", ", source), re.M):
            word, _, rest = line.partition(" ")
            name, _, text = (part.strip() for part in rest.partition("="))
            if word in ("target", "entry"):
                setattr(self, word, rest.strip())
            elif word == "grid":
                self.grid = ",".join((rest.strip().split(",") + ["1", "1"])[:3])
            elif word in ("buffer", "uniform", "address"):
                self.blocks.append(Block(word, name, text, draw))
            elif word == "push":
                self.push = Block("push", "", text, draw)
            elif word == "const":
                kind, value = text.split()
                self.consts.append((int(name), kind, number(kind, value)))
            elif word == "grad":
                self.grads.append(tuple(part.split() for part in rest.split(" by ")))
            elif word == "no_tape":
                self.no_tapes.append(tuple(part.split() for part in rest.split(" by ")))
            elif word == "refused":
                outputs, inputs = rest.split(" by ")
                *inputs, reason = inputs.split()
                self.refusals.append((outputs.split(), inputs, reason))
            elif word == "unrunnable":
                self.unrunnable = True
            elif word == "near":
                name, tolerance = rest.split()
                self.near[name] = float(tolerance)
            else:
                raise ValueError(f"//! {line}: what is that?")
