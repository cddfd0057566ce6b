"""Outputs and gradients of an import, held against the formulas of tests/glsl/known.py.

A formula is a function of doubles. What it gives along a direction of the inputs, by central differences, is what the gradient must
give there: along DIRECTIONS random ones, and along the axes of ENTRIES random elements."""
import importlib.util
import math
import random

import differences
from foreign.imports import BUFFER, Wrong, kgrad

OUTPUT = 2.0**-17    # of the largest element: the rounding of f32 in sums of some hundred terms
GRADIENT = 2.0**-15  # of the sum of absolute terms, and of the largest entry
STEP = 2.0**-18
DIRECTIONS, ENTRIES = 3, 16


def formula_of(name):
    spec = importlib.util.spec_from_file_location("known", differences.SOURCE / "tests" / "glsl" / "known.py")
    known = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(known)
    return getattr(known, name, None)


class Point:
    """Where a formula is taken: the blocks on entry, and what is pushed."""

    def __init__(self, header, formula):
        self.formula = formula
        self.blocks = {b.name: [s.value for s in b.scalars] for b in header.blocks}
        fixed = [header.push, *(b for b in header.blocks if b.what == "uniform")]
        self.params = {s.name: s.value for b in fixed for s in b.scalars}

    def outputs(self, moved=None):
        return self.formula({**self.blocks, **(moved or {})}, self.params)

    def slope(self, way, weight):
        """Of the outputs' weighted sum along `way`, a list for each block."""
        def loss(h):
            at = self.outputs({n: [v + h * u for v, u in zip(self.blocks[n], us)] for n, us in way.items()})
            return math.fsum(w * v for n, ws in weight.items() for w, v in zip(ws, at[n]))
        return (loss(STEP) - loss(-STEP)) / (2 * STEP)


def wrong_outputs(header, outputs, right):
    said = []
    for block, data in zip(header.blocks, right):
        expected = outputs.get(block.name)
        got = [s.read(data) for s in block.scalars]
        if expected is None:
            continue
        largest = max(map(abs, expected))
        off = [(k, a, b) for k, (a, b) in enumerate(zip(got, expected)) if not abs(a - b) <= OUTPUT * largest]
        if len(got) != len(expected) or off:
            said.append(f"known: {len(off)} of {len(got)} elements of {block.name} are off: {off[:1]}")
    return said


def shadow_kind(kind):
    """The type of what a gradient or cotangent holds."""
    return "f32" if kind in ("f16", "bf16") else kind


class Gradient:
    """Run on the reference: its entries by block and place in the block's list of scalars."""

    def __init__(self, kernel, outputs, inputs, weight, folder):
        self.kernel, self.weight, self.folder, self.path = kernel, weight, folder, folder / "gradient.kg"
        kgrad("grad", kernel.path, *kernel.options(outputs, inputs), "-o", self.path)
        text = self.path.read_text()
        declared = {m["name"]: m["mode"] for m in BUFFER.finditer(text)}
        taken = {m["name"] for m in BUFFER.finditer(text) if m["mode"] != "write" or m["length"] == ""}
        self.asked = [v for v in kernel.views_at(inputs)
                      if v.mode != "write" and declared.get(f"grad_{v.name}") in ("write", "read_write")]
        words = []
        for view in kernel.views_at(outputs):
            if declared.get(f"grad_{view.name}") in ("read", "read_write"):
                words += self.cotangent(view)
        for view in self.asked:
            words += ["--out", f"grad_{view.name}={folder / view.name}.grad.npy"]
        kgrad("run", self.path, *kernel.words_of_params(), *kernel.words_of_inputs(folder, taken), *words)

    def indices(self, view):
        place = {s.offset: k for k, s in enumerate(view.block.scalars)}
        return [place[s.offset] for s in view.scalars()]

    def cotangent(self, view):
        path, weight = self.folder / f"{view.name}.cotangent.npy", self.weight[view.block.name]
        differences.write_npy(path, shadow_kind(view.kind), [weight[k] for k in self.indices(view)], view.shape)
        return ["--in", f"grad_{view.name}={path}"]

    def entries(self):
        found = {}
        for view in self.asked:
            values = differences.read_npy(self.folder / f"{view.name}.grad.npy", shadow_kind(view.kind))
            found.setdefault(view.block.name, {}).update(zip(self.indices(view), values))
        return found


def ways(entries, sizes, draw):
    """Directions: a list for each block, which moves only what has an entry."""
    for _ in range(DIRECTIONS):
        yield {n: [draw.uniform(0.25, 1.0) * draw.choice((-1, 1)) * (k in entries[n]) for k in range(sizes[n])] for n in entries}
    flat = [(n, k) for n in entries for k in entries[n]]
    for n, k in draw.sample(flat, min(ENTRIES, len(flat))):
        yield {n: [float(j == k) for j in range(sizes[n])]}


def wrong_gradients(point, kernel, outputs, inputs, folder):
    draw, known = random.Random(1), point.outputs()
    if not set(outputs) <= set(known):
        raise Wrong(f"known.py does not give {' '.join(outputs)}")
    weight = {n: [differences.rounded("f32", draw.uniform(0.25, 1.0) * draw.choice((-1, 1))) for _ in known[n]] for n in outputs}
    entries = Gradient(kernel, outputs, inputs, weight, folder).entries()
    largest = max((abs(v) for block in entries.values() for v in block.values()), default=0.0)
    if not largest:
        return [f"known: the gradient of {outputs} by {inputs} is zero, or has no entries"]
    for way in ways(entries, {n: len(v) for n, v in point.blocks.items()}, draw):
        terms = [us[k] * v for n, us in way.items() for k, v in entries[n].items()]
        slope, got = point.slope(way, weight), math.fsum(terms)
        if not abs(slope - got) <= GRADIENT * max(math.fsum(map(abs, terms)), largest):
            return [f"known: the gradient of {outputs} by {inputs} is {got:.9g} along a direction, and {slope:.9g} by the formula"]
    return []


def wrong(name, kernel, right, folder):
    """What is off, by the formula of that name, if there is one."""
    formula = formula_of(name)
    if not formula:
        return []
    point = Point(kernel.header, formula)
    said = wrong_outputs(kernel.header, point.outputs(), right)
    for outputs, inputs in kernel.header.grads:
        said += wrong_gradients(point, kernel, outputs, inputs, folder)
    return said
