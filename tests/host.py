#!/usr/bin/env python3
"""Gradients of shaders as a host has them, through Vulkan alone (tests/foreign/foreign.c).

The shaders of tests/host are compiled, differentiated with a stated scheme of bindings, and dispatched as the .json says. What the
host of the shader feeds it, it feeds the adjoint: the same push constants, uniform blocks, specialization constants and buffers, at
the same places. All runs get one set of descriptors. Gradients are held against formulas."""
import json
import os
import pathlib
import re
import shlex
import struct
import sys
import tempfile
import textwrap

import differences
from foreign.imports import BUILD, Wrong, kgrad, run

FOLDER = differences.SOURCE / "tests" / "host"
N, WORKGROUPS = 19, 3  # of 8 invocations: some are surplus
UNTOUCHED = 0x7FC0DEAD
GAIN, DT, DRAG, G, WIND = 2.0, 0.25, 0.75, (0.5, -9.75, 0.25), (1.0, -2.0, 0.5)


def compiled(name, folder):
    run("glslangValidator", "-V", FOLDER / f"{name}.comp", "-o", folder / f"{name}.spv")
    return folder / f"{name}.spv"


def floats(data, offset, count=1):
    return struct.unpack_from(f"<{count}f", data, offset)


def value(tree, names):
    """Of an expression of the .json."""
    if not isinstance(tree, list):
        return tree
    if tree[0] in ("param", "const", "len"):
        return names[tree[1]]
    a, b = value(tree[1], names), value(tree[2], names)
    return {"+": a + b, "-": a - b, "*": a * b, "/": a // b if b else 0, "%": a % b if b else 0, "min": min(a, b),
            "max": max(a, b)}[tree[0]]


class Host:
    """Buffers by set and binding, what is pushed, and the constants."""

    def __init__(self, folder, binary, push=b"", constants=()):
        self.folder, self.binary, self.push, self.constants = folder, binary, push, constants
        self.description = json.loads(binary.with_suffix(".json").read_text())
        self.paths = {}

    def bind(self, place, data, uniform=False):
        path = self.folder / f"bound.{place}"
        path.write_bytes(data)
        self.paths[("u" if uniform else "") + place] = path

    def read(self, place):
        return self.paths[place].read_bytes()

    def program(self, name):
        return next(p for p in self.description["programs"] if p["name"] == name)

    def fill_lengths(self, program, lengths, names):
        """The program's own block: what a host of the shader does not know."""
        own = self.program(program)["params"]
        data = bytearray(max(own["bytes"], 4))
        item = next(r for r in self.description["runs"] if r["run"] == program)
        for member in own["members"]:
            if member["type"] != "u32":
                raise Wrong(f"{program} has a param without a place: {member}")
            if "name" in member:
                number = value(item["params"][member["name"]]["tree"], names)
            else:
                number = lengths[item["buffers"][member["length_of"]]]
            struct.pack_into("<I", data, member["offset"], number)
        return own, bytes(data)

    def dispatch(self, program, grid, lengths, names):
        own, data = self.fill_lengths(program, lengths, names)
        push = self.push
        if own["in"] == "uniform":
            self.bind(f"{own.get('set', 0)}.{own['binding']}", data, uniform=True)
        elif own["in"] == "push":
            push = data
        words = ["--entry", program, "--grid", grid]
        if push:
            (self.folder / "push").write_bytes(push)
            words += ["--push", self.folder / "push"]
        for identity, bits in self.constants:
            words += ["--const", f"{identity}={bits}"]
        buffers = (f"{place}={path}" for place, path in self.paths.items())
        run(BUILD / "tests" / "foreign" / "foreign", self.binary, *words, *buffers)

    def run(self, lengths, **params):
        names = {**lengths, "groups_x": WORKGROUPS, **params}
        for item in self.description["runs"]:
            self.dispatch(item["run"], ",".join(str(value(g["tree"], names)) for g in item["grid"]), lengths, names)


def expect(what, got, right):
    off = [(k, a, b) for k, (a, b) in enumerate(zip(got, right)) if not abs(a - b) <= 1e-6 * max(1.0, abs(b))]
    if len(got) != len(right) or off:
        raise Wrong(f"{what}: {len(off)} of {len(got)} are off: {off[:2]}")


# --- structs, push constants, a uniform block, a constant --------------------------


class Bodies:
    """The bytes of tests/host/bodies.comp, and the formula of its gradient. 48 bytes a body: a vec3 and padding, a vec3, a float, a
    number, and padding."""

    def __init__(self):
        self.at = [tuple(0.25 * ((7 * i + k) % 11) - 1 for k in range(7)) for i in range(N)]
        self.cotangent = [tuple(0.5 * ((5 * i + 3 * k) % 7) - 1.25 for k in range(4)) for i in range(N)]
        self.push = struct.pack("<2f I 4f", 1e30, -1e30, N, DT, *G)
        self.weather = struct.pack("<4f", *WIND, DRAG)
        self.bodies = b"".join(struct.pack("<3f4x3ffI12x", *at, i) for i, at in enumerate(self.at))
        self.forces = struct.pack(f"<{4 * N}f", *(v for c in self.cotangent for v in c))
        self.fields = [f"pos_{c}" for c in "xyz"] + [f"vel_{c}" for c in "xyz"] + ["mass"]

    def gradient(self):
        for at, c in zip(self.at, self.cotangent):
            yield [2 * p * DT * c[3] for p in at[:3]] + [-DRAG * GAIN * v for v in c[:3]] + [sum(a * b for a, b in zip(G, c))]


def bodies_host(folder, binary, bodies, gradient, cotangent, adjoint):
    gain = int.from_bytes(struct.pack("<f", GAIN), "little")
    host = Host(folder, binary, bodies.push, [(7, gain)])
    host.bind("0.0", bodies.weather, uniform=True)
    host.bind("1.0", bodies.bodies)
    if not adjoint:
        host.bind("1.3", bytes(16 * N))
    host.bind(gradient, struct.pack("<I", UNTOUCHED) * (12 * N))
    host.bind(cotangent, bodies.forces)
    return host


def check_struct(host, place, bodies):
    """Fields are gradients; the number and the padding are as they were."""
    data = host.read(place)
    for i, right in enumerate(bodies.gradient()):
        got = floats(data, 48 * i, 3) + floats(data, 48 * i + 16, 4)
        expect(f"body {i} at {place}", got, right)
        for offset in (12, 32, 36, 40, 44):
            if struct.unpack_from("<I", data, 48 * i + offset)[0] != UNTOUCHED:
                raise Wrong(f"byte {48 * i + offset} of {place} is no field with a gradient, and was written")


def lengths_of(bodies):
    return {**{prefix + f: N for f in bodies.fields for prefix in ("", "grad_")}, "tag": N, "force": 4 * N, "grad_force": 4 * N}


def split_with_scheme(folder):
    shader, bodies, adjoint = compiled("bodies", folder), Bodies(), folder / "adjoint.spv"
    kgrad("grad", shader, "--mode", "split", "--primal", folder / "primal.kg", "-o", adjoint, "--layout", "same",
          "--bind", "grad_pos_x=1.9", "--bind", "grad_force=0.5", "--bind", "params=2.0")
    kgrad("show", shader, "-o", folder / "shown.kg")
    if (folder / "primal.kg").read_text() != (folder / "shown.kg").read_text():
        raise Wrong("no tape is needed, and the primal is another one")
    host = bodies_host(folder, adjoint, bodies, "1.9", "0.5", adjoint=True)
    host.run(lengths_of(bodies))
    check_struct(host, "1.9", bodies)


def combined_by_default_places(folder):
    """Behind the primal's bindings of its set, and the output is there as well."""
    shader, bodies, both = compiled("bodies", folder), Bodies(), folder / "both.spv"
    kgrad("grad", shader, "-o", both, "--layout", "same")
    host = bodies_host(folder, both, bodies, "1.4", "1.5", adjoint=False)
    host.run(lengths_of(bodies))
    check_struct(host, "1.4", bodies)
    first = floats(host.read("1.3"), 0, 4)
    x = bodies.at[0]
    right = [x[6] * g + DRAG * (w - v) * GAIN for g, w, v in zip(G, WIND, x[3:6])] + [sum(p * p for p in x[:3]) * DT]
    expect("the output", first, right)


def example(folder):
    """examples/adjoint_host.c compiles, and stands in doc/import.md. Gives the words of the command that it begins with."""
    source = differences.SOURCE / "examples" / "adjoint_host.c"
    run(*shlex.split(os.environ.get("CC", "cc")), "-std=c17", "-Wall", "-Wextra", "-Werror", "-Wno-missing-prototypes", "-c", source,
        "-o", folder / "host.o")
    text = source.read_text()
    body = textwrap.indent(text[text.index("VkResult make_adjoint"):], "    ")
    if body not in (differences.SOURCE / "doc" / "import.md").read_text():
        raise Wrong("doc/import.md shows another host than examples/adjoint_host.c")
    command = re.search(r"kgrad (grad .*?)\n \*\n", text, re.S)[1]
    return shlex.split(re.sub(r"\\\n \*", " ", command))


def accumulated(folder):
    """The command of the example: one program, which adds, and no run but the adjoint's own."""
    bodies, adjoint = Bodies(), folder / "adjoint.spv"
    files = {"bodies.comp": FOLDER / "bodies.comp", "same.spv": folder / "same.spv", "adjoint.spv": adjoint}
    kgrad(*(files.get(word, word) for word in example(folder)))
    host = bodies_host(folder, adjoint, bodies, "1.4", "1.5", adjoint=True)
    if len(host.description["runs"]) != 1:
        raise Wrong("there are other runs than the adjoint's")
    program = host.program("bodies_grad")
    if (program["params"]["set"], program["params"]["binding"]) != (2, 0):
        raise Wrong(f"the lengths are at {program['params']}")
    host.bind("1.4", bytes(48 * N))
    host.run(lengths_of(bodies))
    host.bind("1.5", bodies.forces)
    host.run(lengths_of(bodies))
    data = host.read("1.4")
    for i, right in enumerate(bodies.gradient()):
        expect(f"body {i}, twice", floats(data, 48 * i, 3) + floats(data, 48 * i + 16, 4), [2 * v for v in right])


def imported_again(folder):
    """The adjoint is a shader, with the views and places that it was emitted with, and has a gradient itself."""
    shader, adjoint = compiled("bodies", folder), folder / "adjoint.spv"
    kgrad("grad", shader, "--mode", "split", "--primal", folder / "primal.spv", "-o", adjoint, "--layout", "same", "--accumulate",
          "--bind", "grad_pos_x=1.9")
    shown = kgrad("show", adjoint).stdout
    for line in ("view(id 7)", "n : u32 view(offset 8)", "drag : f32 view(set 0, binding 0, offset 12)",
                 "vel_y : f32[length_vel_y] read_write view(set 1, binding 9, offset 20, stride 48)"):
        if line.split("[")[0] not in shown or line.split("] ")[-1] not in shown:
            raise Wrong(f"imported again, the adjoint lacks {line}:\n{shown[:3000]}")
    words = ["--param", f"n={N}", "--param", f"groups_x={WORKGROUPS}"]
    for match in re.finditer(r"^  param +(\w+) : (\w+)", shown, re.M):
        name, kind = match.groups()
        if name.startswith("length_"):
            words += ["--param", f"{name}={4 * N if name.endswith('force') else N}"]
        elif kind == "f32":
            words += ["--param", f"{name}=0.75"]
    for match in re.finditer(r"^  buffer +(\w+) : f32", shown, re.M):
        count = 4 * N if match[1].endswith("force") else N
        differences.write_npy(folder / f"{match[1]}.npy", "f32", [0.25 * ((7 * k) % 11) - 1 for k in range(count)], [count])
        words += ["--in", f"{match[1]}={folder / match[1]}.npy"]
    shadows = [word for f in Bodies().fields for word in ("--of", f"grad_{f}")]
    inputs = ["--wrt", "grad_force", "--wrt", "pos_x"]
    said = kgrad("verify", adjoint, *words, *shadows, *inputs, "--device", "all", "--entries", 32).stdout
    if not said.rstrip().endswith("\npassed"):
        raise Wrong(f"imported again, the adjoint has a wrong gradient: {said[-900:]}")


# --- plain buffers, uniform arrays -------------------------------------------------


def plain_buffers(folder):
    """The primal's bindings stay, be its buffers of use to the adjoint or not; text says what SPIR-V does."""
    shader, adjoint = compiled("squares", folder), folder / "adjoint.spv"
    kgrad("grad", shader, "--mode", "split", "--primal", folder / "primal.spv", "-o", adjoint)
    host = Host(folder, adjoint)
    host.bind("0.1", struct.pack(f"<{8 * WORKGROUPS}f", *range(8 * WORKGROUPS)))
    places = {b["name"]: f"{b['set']}.{b['binding']}" for p in host.description["programs"] for b in p["buffers"]}
    if places.get("x") != "0.1" or "a" in places and places["a"] in ("0.0", "0.1", "0.2"):
        raise Wrong(f"the adjoint has {places}")
    count, roles = 8 * WORKGROUPS, {b["name"]: b["role"] for b in host.description["buffers"]}
    if (roles["grad_x"], roles["grad_y"], roles["x"]) != ("gradient", "cotangent", "primal"):
        raise Wrong(f"roles are {roles}")
    for buffer in host.description["buffers"]:
        if buffer["name"].startswith("grad_"):
            data = [0.5 if buffer["name"] == "grad_y" else 9.0] * count
            host.bind(f"{buffer['view']['set']}.{buffer['view']['binding']}", struct.pack(f"<{count}f", *data))
    host.run({n: count for n in ("a", "x", "y", "grad_a", "grad_x", "grad_y")})
    x = next(b["view"] for b in host.description["buffers"] if b["name"] == "grad_x")
    expect("grad_x", floats(host.read(f"{x['set']}.{x['binding']}"), 0, count), [float(i) for i in range(count)])


def uniform_array(folder):
    """What is indexed of a uniform block makes it a storage buffer, of the same bytes at the same place; the .json says so."""
    shader, adjoint, count = compiled("table", folder), folder / "adjoint.spv", 8 * WORKGROUPS
    kgrad("grad", shader, "--of", "y", "--wrt", "x", "--mode", "split", "--primal", folder / "primal.spv", "-o", adjoint,
          "--layout", "same", "--bind", "grad_x=0.3", "--bind", "grad_y=0.4")
    weights = [0.5 * k - 1 for k in range(8)]
    host = Host(folder, adjoint)
    block = next(b for p in host.description["programs"] for b in p.get("blocks", []))
    if (block["in"], block["set"], block["binding"]) != ("storage", 0, 0):
        raise Wrong(f"the block of scale is {block}")
    host.bind("0.0", struct.pack("<8ff12x", *weights, 3.0))
    host.bind("0.3", bytes(4 * count))
    host.bind("0.4", struct.pack(f"<{count}f", *range(count)))
    host.run({n: 8 if n == "weight" else count for n in ("weight", "x", "y", "grad_x", "grad_y")})
    expect("grad_x", floats(host.read("0.3"), 0, count), [3.0 * weights[i % 8] * i for i in range(count)])


# --- a tape ------------------------------------------------------------------------


def with_tape(folder):
    """The primal takes the shader's own buffers and what it pushes, and leaves a tape where the adjoint finds it."""
    shader, primal, adjoint = compiled("grows", folder), folder / "primal.spv", folder / "adjoint.spv"
    kgrad("grad", shader, "--mode", "split", "--primal", primal, "-o", adjoint, "--bind", "tape_grows=1.3", "--bind", "grad_x=1.4",
          "--bind", "grad_y=1.5", "--bind", "params=1.6")
    count, steps, rate = 8 * WORKGROUPS, 37, 0.015625
    x = [0.25 + 0.03125 * i for i in range(count)]
    params = {"steps": steps, "n": N}
    forward, backward = (Host(folder, binary, struct.pack("<2f2I", 1e30, rate, steps, N)) for binary in (primal, adjoint))
    tape = next(b for b in forward.description["buffers"] if b["name"] == "tape_grows")
    length = value(tape["length"]["tree"], {"groups_x": WORKGROUPS, **params})
    if (tape["role"], tape["view"]["set"], tape["view"]["binding"]) != ("kept", 1, 3):
        raise Wrong(f"the tape is {tape}")
    lengths = {"x": count, "y": count, "grad_x": count, "grad_y": count, "tape_grows": length}
    for place, data in (("0.2", x), ("0.5", [0.0] * count), ("1.3", [7.0] * length), ("1.4", [9.0] * count), ("1.5", [0.5] * count)):
        forward.bind(place, struct.pack(f"<{len(data)}f", *data))
    forward.run(lengths, **params)
    backward.paths.update(forward.paths)
    backward.run(lengths, **params)
    outputs, gradients = [], []
    for s in x:
        slope = 0.5
        for _ in range(steps):
            slope, s = slope * (1 + 2 * rate * s), s + rate * s * s
        outputs.append(s)
        gradients.append(slope)
    expect("y", floats(forward.read("0.5"), 0, count), outputs[:N] + [0.0] * (count - N))
    got = floats(backward.read("1.4"), 0, count)
    off = [(a, b) for a, b in zip(got, gradients[:N] + [0.0] * (count - N)) if not abs(a - b) <= 1e-5 * max(1.0, abs(b))]
    if off:
        raise Wrong(f"grad_x: {len(off)} are off: {off[:2]}")


TESTS = (with_tape, split_with_scheme, combined_by_default_places, accumulated, imported_again, plain_buffers, uniform_array)


def main():
    differences.software_devices()
    if os.environ.get("DEVICE_TESTS") == "no":
        print("note: without devices there is nothing to run\nkgtest: 1 passed, 0 failed")
        return 0
    failed = 0
    for test in TESTS:
        with tempfile.TemporaryDirectory(prefix="kgrad-host-") as folder:
            try:
                test(pathlib.Path(folder))
                print(f"PASS: {test.__name__}")
            except (Wrong, KeyError, StopIteration, OSError, struct.error) as problem:
                failed += 1
                print(f"FAIL: {test.__name__}\n    {type(problem).__name__}: {problem}")
    print(f"kgtest: {len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
