#!/usr/bin/env python3
"""Gradients as source: `crossed.py [KERNEL.kg ...]`, else of the examples, the bench and tests/kernels that differentiate.

Each goes through SPIRV-Cross to GLSL, HLSL and MSL, and into nothing if that fails. glslang compiles every program of the GLSL again,
and SPIRV-Tools validates what it made. What the programs then compute is held against the original in tests/driver/test_source.c."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ.get("abs_srcdir") or pathlib.Path(__file__).resolve().parent.parent)
KGRAD = os.environ.get("KGRAD") or str(SOURCE / "build" / "kgrad")
SUFFIX = {"GLSL": ".comp", "HLSL": ".hlsl", "MSL": ".metal"}


def call(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


def programs(text):
    """The macros that a source has for its programs; a lone program has none."""
    return re.findall(r"^#ifdef (KGRAD_\w+)$", text, re.M) or [None]


def compiled(path, folder):
    for macro in programs(path.read_text()):
        out = folder / f"{path.stem}.{macro}.spv"
        define = [f"-D{macro}"] if macro else []
        done = call("glslangValidator", "-V", "--target-env", "vulkan1.1", *define, path, "-o", out)
        if done.returncode == 0:
            done = call("spirv-val", "--target-env", "vulkan1.1", out)
        yield f"glslang, {macro or 'one program'}", done


def judge(kernel):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for language, suffix in SUFFIX.items():
            out = folder / (kernel.stem + suffix)
            done = call(KGRAD, "grad", kernel, "-o", out)
            yield language, done, out.exists() and out.with_suffix(".json").exists()
            if language == "GLSL" and done.returncode == 0:
                for what, compile_done in compiled(out, folder):
                    yield what, compile_done, True


def main():
    kernels = [pathlib.Path(a) for a in sys.argv[1:]]
    if not kernels:
        kernels = sorted([*SOURCE.glob("examples/*.kg"), *SOURCE.glob("bench/*.kg")])
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for kernel, answers in zip(kernels, pool.map(lambda k: list(judge(k)), kernels)):
            for what, done, whole in answers:
                if done.returncode == 0 and whole:
                    passed += 1
                    continue
                failed += 1
                print(f"FAIL: {kernel.name}, {what}: {(done.stdout + done.stderr).strip()[-600:] or 'a file is missing'}")
    print(f"kgtest: {passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
