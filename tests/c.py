#!/usr/bin/env python3
"""What `kgrad show` and `kgrad grad` write as C: every example, primitive and kernel of the tests, and their gradients, pass the
compilers that are there without a warning, with and without OpenMP, and headers pass C++. The example of doc/c.md is built and run,
with sanitizers too. That results are right is tests/c/test_host.c's part."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib

SOURCE = pathlib.Path(os.environ.get("abs_srcdir") or pathlib.Path(__file__).resolve().parent.parent)
KGRAD = os.environ.get("KGRAD") or str(SOURCE / "build" / "kgrad")
CC = shlex.split(os.environ.get("CC") or "gcc")
CXX = shlex.split(os.environ.get("CXX") or "g++")
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
FLAGS = ["-O2", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
passed = failed = 0


def check(what, fine, said=""):
    global passed, failed
    passed, failed = passed + bool(fine), failed + (not fine)
    if not fine:
        print("FAIL:", what, said)


def run(*command, cwd=None):
    return subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)


def takes(compiler, *flags):
    command = [*compiler, *flags, "-fsyntax-only", "-x", "c", "-"]
    return subprocess.run(command, input="int x;\n", text=True, capture_output=True).returncode == 0


def compilers():
    found = [CC] + [[name] for name in ("gcc", "clang") if shutil.which(name) and name not in CC]
    return [[*c, *flags] for c in found for flags in ([], ["-fopenmp"]) if takes(c, *flags)]


def primitives():
    found = re.findall(r"^  (\w+) ", run(KGRAD, "prim", "--list").stdout, re.MULTILINE)
    check("primitives are listed", found)
    return found


def emit(folder, kernel):
    """A kernel, and its gradient, where it has one: both files, or neither."""
    name, results = kernel.stem, []
    for what, command in ((name, ["show"]), (name + "_grad", ["grad"])):
        done = run(KGRAD, *command, kernel, "-o", folder / f"{what}.c")
        header, text = folder / f"{what}.h", folder / f"{what}.c"
        whole = done.returncode == 0 and text.exists() and header.exists()
        refused = done.returncode in (1, 2) and "[grad-" in done.stderr and not text.exists() and not header.exists()
        results.append((what, whole or (command[0] == "grad" and refused), done.stderr))
    return results


def ways(compiler, text):
    """GCC sees what is read before it is stored only where it optimises, a little, which takes twenty times longer: of one text in three.
    Once is enough: OpenMP changes the functions for hosts alone."""
    optimised = "clang" not in compiler[0] and "-fopenmp" not in compiler and zlib.crc32(text.name.encode()) % 3 == 0
    return ["-O1", "-S", "-o", os.devnull] if optimised and compiler[0] == CC[0] else ["-fsyntax-only"]


def long_names(folder):
    """Names that no compiler promises to tell apart, or to take."""
    n = "n" * 100000
    (folder / "long_names.kg").write_text(
        f"program {n}0 {{ workgroup 64\n grid invocations {n}1\n param {n}1 : u32 = 8\n buffer {n}2 : f32[{n}1] read_write\n"
        f"let {n}3 = {n}2[global_id.x]\n {n}2[global_id.x] = {n}3 * {n}3 }}\n")


def asked(found, compiler, text):
    """Each of GCC and Clang, and each with and without OpenMP, but no text in all four ways: the compilers are two opinions of kernels,
    and OpenMP changes the functions for hosts alone, of which all texts have the same few lines. GCC has what it optimises without."""
    without = zlib.crc32(text.name.encode()) % 3 != 1
    return len(found) != 4 or ("-fopenmp" in compiler) == (("clang" in compiler) == without)


def compile_one(compiler, text):
    done = run(*compiler, "-std=c11", *WARNINGS, *ways(compiler, text), text)
    return f"{text.name} with {' '.join(compiler)}", done.returncode == 0, done.stderr


def headers(folder):
    everything = "".join(f'#include "{h.name}"\n' for h in sorted(folder.glob("*.h")) if not h.name.startswith("p_"))
    (folder / "all.cpp").write_text(everything)
    done = run(*CXX, "-std=c++11", *WARNINGS, "-fsyntax-only", folder / "all.cpp")
    check("headers in C++", done.returncode == 0, done.stderr)


def forms(folder):
    saxpy = SOURCE / "examples" / "saxpy.kg"
    printed = run(KGRAD, "show", saxpy, "--as", "c")
    check("standard output", printed.stdout == (folder / "saxpy.c").read_text(), printed.stderr)
    done = run(KGRAD, "show", saxpy, "--as", "c", "--json")
    check("as JSON", json.loads(done.stdout)["result"]["text"] == printed.stdout, done.stderr)
    done = run(KGRAD, "show", saxpy, "--as", "c", "-o", folder / "other.name")
    check("a name of one's own", done.returncode == 0 and (folder / "other.name.h").exists(), done.stderr)
    done = run(KGRAD, "grad", saxpy, "-o", folder / "nowhere" / "a.c")
    check("a folder that is not there", done.returncode == 2 and not (folder / "nowhere").exists(), done.stderr)
    (folder / "blocked.h").mkdir()
    done = run(KGRAD, "show", saxpy, "-o", folder / "blocked.c")
    check("both files or none", done.returncode == 2 and not (folder / "blocked.c").exists(), done.stderr)
    (folder / "blocked.h").rmdir()
    header = (folder / "saxpy_grad.h").read_text()
    check("whose gradient it is", "grad_x : f32[n], written; the gradient of x" in header and "the cotangent" in header, header)


def example(folder):
    """doc/c.md: softmax in two files."""
    softmax = SOURCE / "examples" / "softmax.kg"
    done = run(KGRAD, "grad", softmax, "--mode", "split", "--primal", "forward.c", "-o", "adjoint.c", cwd=folder)
    check("split", done.returncode == 0, done.stderr)
    shutil.copy(SOURCE / "examples" / "adjoint_c.c", folder)
    sanitized = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    wide = [*FLAGS, "-DKG_LANES=16", "-Wno-psabi"]
    for flags in (FLAGS, [*FLAGS, "-fopenmp"], [*FLAGS, "-march=native", "-Wno-psabi"], wide, ["-O0"], sanitized):
        done = run(*CC, "-std=c11", *WARNINGS, *flags, "adjoint_c.c", "forward.c", "adjoint.c", "-o", "fit", "-lm", cwd=folder)
        check(f"the example builds with {flags}", done.returncode == 0, done.stderr)
        done = run("./fit", cwd=folder)
        check(f"the example with {flags}", done.stdout == "0.5 0.25 0.25\n0.125 0.75 0.125\n", done.stdout + done.stderr)


def functions_apart(folder):
    """A gradient's function is another than that of its primal, however long the name is."""
    kernel = folder / "longer_name.kg"
    kernel.write_text(re.sub(r"program \w+", "program " + "n" * 120, (SOURCE / "examples" / "saxpy.kg").read_text()))
    done = run(KGRAD, "grad", kernel, "--mode", "split", "--primal", "n_forward.c", "-o", "n_adjoint.c", cwd=folder)
    done = run(*CC, "-std=c11", "-shared", "-fPIC", "n_forward.c", "n_adjoint.c", "-o", "both.so", "-lm", cwd=folder)
    check("two functions of a long name", done.returncode == 0, done.stderr)
    for name in "longer_name.kg", "n_forward.c", "n_adjoint.c", "n_forward.h", "n_adjoint.h":
        (folder / name).unlink()


def main(folder):
    for name in primitives():
        done = run(KGRAD, "prim", name, "-o", folder / f"p_{name}.kg")
        check(f"primitive {name}", done.returncode == 0, done.stderr)
    long_names(folder)
    folders = (SOURCE / "examples", SOURCE / "tests" / "kernels", folder)
    kernels = [kernel for f in folders for kernel in sorted(f.glob("*.kg"))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for results in pool.map(lambda k: emit(folder, k), kernels):
            for result in results:
                check(*result)
        texts = sorted(folder.glob("*.c"))
        check("texts", len(texts) > len(kernels), str(len(texts)))
        # What sanitizers see is the emission of all of them; compilers take as long for the same texts as in the plain build.
        compiled = texts[::16] if "-fsanitize" in os.environ.get("KG_TEST_CFLAGS", "") else texts
        found = compilers()
        for compiler in found:
            for result in pool.map(lambda text: compile_one(compiler, text), [t for t in compiled if asked(found, compiler, t)]):
                check(*result)
    headers(folder)
    forms(folder)
    example(folder)
    functions_apart(folder)
    print(f"kgtest: {passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        sys.exit(main(pathlib.Path(name)))
