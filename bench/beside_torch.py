#!/usr/bin/env python3
"""Primitives of kgrad and their gradients beside PyTorch's, on the same GPU in the same run.

  bench/beside_torch.py KGRAD [NAME...]     KGRAD is the program, build/kgrad; without names, all rows

Needs PyTorch with CUDA. A row holds milliseconds: the least of repeated runs by the clock of the host, launch and waiting included,
as `kgrad run --time` takes them. `gradient` is the forward computation and the gradient by all inputs, as a step of training has it.
PyTorch runs as it is (`eager`) and through torch.compile (`compiled`). All is f32, without TF32. Behind kgrad's times stands the
ratio to the faster of the two.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

N, ROWS, COLS, SIDE, HEADS, LENGTH, DIM = 1 << 26, 8192, 4096, 2048, 32, 1024, 64
PICTURES, CHANNELS, WIDTH = 16, 32, 64
ATTENTION = [f"heads={HEADS}", f"queries={LENGTH}", f"keys={LENGTH}", f"dim={DIM}", "tile=32"]

# name: the primitive, its parameters, what is differentiated, shapes of PyTorch's inputs, PyTorch's function of them
CASES = {
    "gelu": ("gelu", [f"n={N}"], "y", [[N]], lambda f, x: f.gelu(x)),
    "softmax": ("softmax", [f"rows={ROWS}", f"cols={COLS}", "workgroup=256"], "y", [[ROWS, COLS]], lambda f, x: f.softmax(x, -1)),
    "layer_norm": ("layer_norm", [f"rows={ROWS}", f"cols={COLS}", "workgroup=256"], "y", [[ROWS, COLS], [COLS], [COLS]],
                   lambda f, x, w, b: f.layer_norm(x, (COLS,), w, b)),
    "rms_norm": ("rms_norm", [f"rows={ROWS}", f"cols={COLS}", "workgroup=128"], "y", [[ROWS, COLS], [COLS]],
                 lambda f, x, w: f.rms_norm(x, (COLS,), w, 1e-5)),
    "matmul": ("matmul", [f"m={SIDE}", f"n={SIDE}", f"k={SIDE}"], "c", [[SIDE, SIDE], [SIDE, SIDE]], lambda f, a, b: a @ b),
    "attention": ("attention", ATTENTION, "y", [[1, HEADS, LENGTH, DIM]] * 3, lambda f, q, k, v: f.scaled_dot_product_attention(q, k, v)),
    "causal attention": ("attention", [*ATTENTION, "causal=1"], "y", [[1, HEADS, LENGTH, DIM]] * 3,
                         lambda f, q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True)),
    "conv2d": ("conv2d", [f"batch={PICTURES}", f"in_channels={CHANNELS}", f"out_channels={CHANNELS}", f"height={WIDTH}", f"width={WIDTH}"],
               "y", [[PICTURES, CHANNELS, WIDTH, WIDTH], [CHANNELS, CHANNELS, 3, 3], [CHANNELS]],
               lambda f, x, w, b: f.conv2d(x, w, b, padding=1)),
}


def kgrad_times(kgrad, primitive, params, of, folder):
    """Milliseconds of the primitive, and of the module that kgrad makes of it."""
    forward, both = os.path.join(folder, "forward.kg"), os.path.join(folder, "both.kg")
    subprocess.run([kgrad, "prim", primitive, *(f"--param={p}" for p in params), "-o", forward], check=True)
    subprocess.run([kgrad, "grad", forward, f"--of={of}", "-o", both], check=True)
    times = []
    for path in forward, both:
        run = [kgrad, "run", path, "--device", os.environ.get("KGRAD_DEVICE", "vulkan"), "--time", "--json"]
        said = subprocess.run(run, check=True, capture_output=True, text=True)
        times.append(json.loads(said.stdout)["result"]["seconds"] * 1e3)
    return times


def torch_times(torch, shapes, function):
    inputs = [(torch.rand(shape, device="cuda") * 2 - 1).requires_grad_() for shape in shapes]

    def least(step):
        step()  # it may compile, for longer than the rest takes
        best, until = float("inf"), time.perf_counter() + 0.5
        while time.perf_counter() < until:
            torch.cuda.synchronize()
            start = time.perf_counter()
            step()
            torch.cuda.synchronize()
            best = min(best, time.perf_counter() - start)
        return best * 1e3

    cotangent = torch.rand_like(function(*inputs))
    with torch.no_grad():
        forward = least(lambda: function(*inputs))
    return forward, least(lambda: torch.autograd.grad(function(*inputs), inputs, cotangent))


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    kgrad, names = sys.argv[1], sys.argv[2:] or list(CASES)
    unknown = [name for name in names if name not in CASES]
    if unknown:
        sys.exit(f"beside_torch.py: no row {unknown[0]}; there are {', '.join(CASES)}")
    try:
        import torch
    except ImportError:
        sys.exit("beside_torch.py: PyTorch is not installed")
    if not torch.cuda.is_available():
        sys.exit("beside_torch.py: PyTorch finds no GPU")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, milliseconds")
    print(f"{'':18}{'':10}{'eager':>10}{'compiled':>10}{'kgrad':>10}{'ratio':>8}")
    for name in names:
        primitive, params, of, shapes, function = CASES[name]
        functional = torch.nn.functional
        torch.compiler.reset()  # else what was compiled for the rows before counts, and past a few it stays eager without a word
        eager = torch_times(torch, shapes, lambda *x: function(functional, *x))
        compiled = torch_times(torch, shapes, torch.compile(lambda *x: function(functional, *x)))
        with tempfile.TemporaryDirectory() as folder:
            own = kgrad_times(kgrad, primitive, params, of, folder)
        for k, sweep in enumerate(("forward", "gradient")):
            ratio = own[k] / min(eager[k], compiled[k])
            print(f"{name if k == 0 else '':18}{sweep:10}{eager[k]:10.3f}{compiled[k]:10.3f}{own[k]:10.3f}{ratio:8.2f}", flush=True)


if __name__ == "__main__":
    main()
