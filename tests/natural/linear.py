"""Known answers of linear systems, products and transforms: see known.py."""
import cmath
import math

from helpers import flat, in_f32, product, rows, solved, transposed


def matmul_padded(d, g):
    a, b, c = rows(d["a"], d["k"]), rows(d["b"], d["m"]), rows(g["c"], d["m"])
    return {"c": flat(product(a, b)), "d_a": flat(product(c, transposed(b))), "d_b": flat(product(transposed(a), c))}


matmul_padded_flat = matmul_padded


def systems(matrices, sides, g):
    """x with A x = b for each, and the gradients A^-T g and -(A^-T g) x^T."""
    x, by_a, by_b = [], [], []
    for a, b, v in zip(matrices, sides, g):
        s, t = solved(a, b), solved(transposed(a), v)
        x += s
        by_b += t
        by_a += [-p * q for p in t for q in s]
    return x, by_a, by_b


def gauss_pivot(d, g):
    x, by_a, by_b = systems([rows(m, 4) for m in rows(d["a"], 16)], rows(d["b"], 4), rows(g["x"], 4))
    return {"x": x, "d_a": by_a, "d_b": by_b}


def gauss(d, g):
    """The eliminated matrix is an output too; without a cotangent of its own (see the table) the answer is that of the system."""
    matrices = [[[v + 2 * (i == j) for j, v in enumerate(row)] for i, row in enumerate(rows(m, 4))] for m in rows(d["a"], 16)]
    x, by_a, by_b = systems(matrices, rows(d["b"], 4), rows(g["b"], 4))
    return {"b": x, "d_a": by_a, "d_b": by_b}


def jacobi(d, g):
    a = [[v + (i == j) for j, v in enumerate(row)] for i, row in enumerate(rows(d["a"], 5))]
    x, by_a, by_b = systems([a] * d["count"], rows(d["b"], 5), rows(g["y"], 5))
    return {"y": x, "d_b": by_b, "d_a": [math.fsum(by_a[k::25]) for k in range(25)]}


def triangular_solve(d, g):
    n, m = d["n"], d["m"]
    l = [[v if j < i else in_f32(1.5) + v if i == j else 0.0 for j, v in enumerate(row)] for i, row in enumerate(rows(d["l"], n))]
    x, by_l, by_b = systems([l] * m, transposed(rows(d["b"], m)), transposed(rows(g["x"], m)))
    by = [math.fsum(by_l[k::n * n]) if k % n <= k // n else 0.0 for k in range(n * n)]
    return {"x": flat(transposed(rows(x, n))), "d_b": flat(transposed(rows(by_b, n))), "d_l": by}


def forward_substitution_by_runs(d, g):
    return triangular_solve(d, g)


def conjugate_gradient(d, g):
    """A is 4 I and half of a and its transpose."""
    a = rows(d["a"], 8)
    m = [[4.0 * (i == j) + 0.5 * (a[i][j] + a[j][i]) for j in range(8)] for i in range(8)]
    x, by_a, by_b = systems([m], [d["b"]], [g["y"]])
    return {"y": x, "d_b": by_b, "d_a": [0.5 * (by_a[8 * i + j] + by_a[8 * j + i]) for i in range(8) for j in range(8)]}


def inverse3(d, g):
    y, by = [], []
    for m, v in zip(rows(d["x"], 9), rows(g["y"], 9)):
        a = [[x + 2 * (i == j) for j, x in enumerate(row)] for i, row in enumerate(rows(m, 3))]
        inverse = transposed([solved(a, [float(i == j) for i in range(3)]) for j in range(3)])
        back = transposed(inverse)
        y += flat(inverse)
        by += [-x for x in flat(product(product(back, rows(v, 3)), back))]
    return {"y": y, "d_x": by}


def fft(d, g):
    y, by = [], []
    turn = lambda k: cmath.exp(-2j * math.pi * k / 16)
    for x, v in zip(rows(d["x"], 16), rows(g["y"], 16)):
        spectrum = [sum(a * turn(j * k) for j, a in enumerate(x)) for k in range(16)]
        y += [abs(s) ** 2 for s in spectrum]
        by += [sum(2 * w * (s * turn(j * k).conjugate()).real for k, (w, s) in enumerate(zip(v, spectrum))) for j in range(16)]
    return {"y": y, "d_x": by}


def gauss_shared(d, g):
    matrices = [[[v + 3 * (i == j) for j, v in enumerate(row)] for i, row in enumerate(rows(m, 5))] for m in rows(d["a"], 25)]
    x, by_a, by_b = systems(matrices, rows(d["b"], 5), rows(g["x"], 5))
    return {"x": x, "d_a": by_a, "d_b": by_b}


def cyclic_reduction(d, g):
    """What lies off the matrix, a at the first row and c at the last, is not looked at."""
    n = 16
    band = [(a, b, c) for a, b, c in zip(*(rows(d[name], n) for name in "abc"))]
    matrices = [[[c[i] if j == i + 1 else b[i] if j == i else a[i] if j == i - 1 else 0.0 for j in range(n)] for i in range(n)] for a, b, c in band]
    x, by, by_d = systems(matrices, rows(d["d"], n), rows(g["x"], n))
    below, on, above = [], [], []
    for m in (rows(flat_m, n) for flat_m in rows(by, n * n)):
        below += [m[i][i - 1] if i else 0.0 for i in range(n)]
        on += [m[i][i] for i in range(n)]
        above += [m[i][i + 1] if i + 1 < n else 0.0 for i in range(n)]
    return {"x": x, "d_a": below, "d_b": on, "d_c": above, "d_d": by_d}


def transformed(re, im, sign):
    n = len(re)
    turn = lambda k: cmath.exp(sign * 2j * math.pi * k / n)
    sums = [sum(complex(a, b) * turn(j * k) for j, (a, b) in enumerate(zip(re, im))) for k in range(n)]
    return [s.real for s in sums], [s.imag for s in sums]


def fft_shared(d, g):
    forth = [transformed(a, b, -1) for a, b in zip(rows(d["re"], 16), rows(d["im"], 16))]
    back = [transformed(a, b, 1) for a, b in zip(rows(g["ore"], 16), rows(g["oim"], 16))]
    return {"ore": flat(f[0] for f in forth), "oim": flat(f[1] for f in forth), "d_re": flat(b[0] for b in back), "d_im": flat(b[1] for b in back)}


def fft_by_runs(d, g):
    (re, im), (by_re, by_im) = transformed(d["re"], d["im"], -1), transformed(g["re"], g["im"], 1)
    return {"re": re, "im": im, "d_re": by_re, "d_im": by_im}
