#!/usr/bin/env python3
"""Arrays in and out of `kgrad run`, held against Python: zipfile, by which NumPy reads and writes .npz files, and the headers of
.npy files by hand. NumPy has its own say where it is installed."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

KGRAD = os.path.abspath(os.environ.get("KGRAD") or pathlib.Path(__file__).resolve().parent.parent / "build" / "kgrad")
KERNEL = """program p {
  workgroup 1
  grid      1
  param     rows : u32
  param     cols : u32
  buffer    a : f32[rows, cols] read
  buffer    flat : f32[] read
  buffer    t : f32[cols, rows] write
  buffer    s : f32[2] write
  for i in 0 .. rows { for j in 0 .. cols { t[j, i] = a[i, j] } }
  s[0] = flat[0]
  s[1] = flat[1]
}
"""
passed = failed = 0


def check(what, fine, said=""):
    global passed, failed
    passed, failed = passed + bool(fine), failed + (not fine)
    if not fine:
        print("FAIL:", what, said)


def npy(shape, values):
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
    size = (10 + len(text) + 1 + 63) // 64 * 64 - 10
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", size) + (text.ljust(size - 1) + "\n").encode() + struct.pack("<%df" % len(values), *values)


def from_npy(data):
    size = struct.unpack_from("<H", data, 8)[0]
    header = eval(data[10:10 + size], {})
    values = struct.unpack("<%df" % ((len(data) - 10 - size) // 4), data[10 + size:])
    return header["shape"], list(values)


def archive(path, method, **members):
    with zipfile.ZipFile(path, "w", method) as z:
        for name, data in members.items():
            with z.open(name + ".npy", "w", force_zip64=True) as out:  # as numpy.savez does
                out.write(data)


def kgrad(folder, *words):
    return subprocess.run([KGRAD, "run", "k.kg", *words], cwd=folder, capture_output=True, text=True)


def refused(folder, what, identity, *words):
    done = kgrad(folder, *words)
    check(what, done.returncode == 2 and f"[{identity}]" in done.stderr and "fix:" in done.stderr, done.stderr)
    return done.stderr


def main(folder):
    a, flat = npy((2, 3), [1, 2, 3, 4, 5, 6]), npy((2, 1), [8, 9])
    (folder / "k.kg").write_text(KERNEL)
    (folder / "a.npy").write_bytes(a)
    (folder / "line.npy").write_bytes(npy((6,), [1, 2, 3, 4, 5, 6]))
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        archive(folder / "in.npz", method, a=a, flat=flat)
        done = kgrad(folder, "--in", "in.npz", "--out", "out.npz", "--out", "t=t.npy", "--out", "s=s.npz")
        check("it runs", done.returncode == 0, done.stderr)
        with zipfile.ZipFile(folder / "out.npz") as z:
            check("whole", z.testzip() is None and z.namelist() == ["t.npy", "s.npy"], z.namelist())
            check("the transposed array", from_npy(z.read("t.npy")) == ((3, 2), [1, 4, 2, 5, 3, 6]))
            check("the other", from_npy(z.read("s.npy")) == ((2,), [8, 9]))
            check("the same in a file of its own", z.read("t.npy") == (folder / "t.npy").read_bytes())
        with zipfile.ZipFile(folder / "s.npz") as z:
            check("one alone", z.testzip() is None and z.namelist() == ["s.npy"])
        done = kgrad(folder, "--in", "a=in.npz", "--in", "flat=1,2", "--out", "t=-")
        check("one of an archive", done.stdout == "t : f32[3, 2] =\n 1 4 2 5 3 6\n", done.stdout + done.stderr)
    try:
        import numpy
        with numpy.load(folder / "out.npz") as z:
            check("NumPy reads it", z["t"].tolist() == [[1, 4], [2, 5], [3, 6]])
    except ImportError:
        pass

    done = kgrad(folder, "--in", "a=1,2,3,4,5,6", "--in", "flat=1,2", "-p", "rows=2", "-p", "cols=3", "--out", "t=-")
    check("values have no shape", done.stdout == "t : f32[3, 2] =\n 1 4 2 5 3 6\n", done.stdout + done.stderr)
    said = refused(folder, "another shape", "array-shape", "--in", "a=a.npy", "--in", "flat=1,2", "-p", "rows=3", "-p", "cols=2")
    check("both shapes", "(2, 3)" in said and "(3, 2)" in said, said)
    refused(folder, "another size", "array-shape", "--in", "a=a.npy", "--in", "flat=1,2", "-p", "rows=4")
    said = refused(folder, "one dimension", "array-rank", "--in", "a=line.npy", "--in", "flat=1,2")
    check("its shape", "(6,)" in said and "2 dimensions" in said, said)

    archive(folder / "in.npz", zipfile.ZIP_STORED, a=a, flat=flat, other=a)
    said = refused(folder, "an array of no buffer", "unknown-buffer", "--in", "in.npz")
    check("the file that has it", said.startswith("in.npz: ") and "other" in said, said)
    refused(folder, "no such array", "npz-missing", "--in", "a=s.npz", "--in", "flat=1,2")
    archive(folder / "in.npz", zipfile.ZIP_STORED, t=a)
    said = refused(folder, "an array of an output", "not-an-input", "--in", "in.npz")
    check("the file, and what helps", said.startswith("in.npz: ") and "fix: leave t out of the file" in said, said)
    refused(folder, "twice", "given-twice", "--in", "a=a.npy", "--in", "a=a.npy")
    (folder / "text.npz").write_text("text")
    refused(folder, "no archive", "npz-magic", "--in", "text.npz")
    refused(folder, "no such file", "cannot-read", "--in", "none.npz")
    archive(folder / "in.npz", zipfile.ZIP_BZIP2, a=a)
    refused(folder, "bzip2", "npz-method", "--in", "in.npz")
    with zipfile.ZipFile(folder / "in.npz", "w", zipfile.ZIP_DEFLATED) as z, z.open("a.npy", "w", force_zip64=True) as out:
        for _ in range(1200):
            out.write(bytes(1 << 20))
    refused(folder, "a bomb", "npz-bomb", "--in", "in.npz")


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
print(f"kgtest: {passed} passed, {failed} failed")
sys.exit(failed != 0)
