#!/usr/bin/env python3
"""How many gradients of foreign shaders add atomically, by what is known of the shader: the table of doc/import.md.

    tests/known_facts.py [NAME ...]

Each `//! grad` line of tests/glsl/*.comp is a gradient of the shader as glslangValidator compiles it (plain), and of what glslc -O
makes of it (optimised). A shadow adds atomically where `kgrad grad --explain --json` says "atomic" or "summed" of it. The grid and
the values of params are those that the shader's header runs it with."""
import json
import pathlib
import sys
import tempfile

import glsl
from foreign import data
from foreign.imports import Import, kgrad

CASES = ("nothing", "grid", "grid and params", "grid, params and constants")


def atomic(binary, options):
    told = json.loads(kgrad("grad", binary, *options, "--as", "kg", "--json").stdout)["result"]
    return sum(share["how"] in ("atomic", "summed") for run in told["runs"] for share in run["shares"])


def value_of(kind, value):
    return value if kind[0] == "f" else str(bool(value)).lower() if kind == "bool" else int(value)


def examine(source, how):
    """By case, of each gradient how many shadows add atomically."""
    header = data.Header(source.read_text())
    with tempfile.TemporaryDirectory(prefix="kgrad-facts-") as name:
        folder = pathlib.Path(name)
        glsl.compile_with(how, source, header, folder / "shader.spv")
        binary = glsl.specialised(header, folder / "shader.spv", folder)
        kernel = Import(header, binary, folder)
        words = kernel.words_of_params()
        params = [w for k in range(0, len(words), 2) if not words[k + 1].startswith("groups_") for w in words[k:k + 2]]
        grid = ["--grid", header.grid]
        constants = [w for i, kind, value in header.consts for w in ("--const", f"{i}={value_of(kind, value)}")]
        asked = [kernel.options(outputs, inputs) for outputs, inputs in header.grads]
        return {case: [atomic(binary, [*options, *facts]) for options in asked]
                for case, facts in zip(CASES, ([], grid, [*grid, *params], [*grid, *params, *constants]))}


def main():
    names, missing = sys.argv[1:], glsl.not_yet()
    print("| shaders | gradients | known | with atomic adds | shadows with atomic adds |\n|---|---|---|---|---|")
    for how in ("plain", "optimised"):
        sums = {case: [] for case in CASES}
        for source, row in glsl.rows(names):
            if row != how or source.suffix != ".comp" or (source.name, how) in missing:
                continue
            found = examine(source, how)
            for case in CASES:
                sums[case] += found[case]
            if len({tuple(counts) for counts in found.values()}) > 1:
                print(f"note: {source.name} {how}: {found}", file=sys.stderr)
        for case in CASES:
            print(f"| {how} | {len(sums[case])} | {case} | {sum(map(bool, sums[case]))} | {sum(sums[case])} |")


if __name__ == "__main__":
    main()
