"""What the answers of known.py and linear.py are made of."""
import math
import struct


def rows(flat, width):
    return [flat[i:i + width] for i in range(0, len(flat), width)]


def flat(nested):
    return [v for row in nested for v in row]


def transposed(m):
    return [list(column) for column in zip(*m)]


def product(a, b):
    return [[math.fsum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def solved(a, b):
    """x with a x = b, by Gauss and Jordan with pivots."""
    n, m = len(a), [list(row) + [v] for row, v in zip(a, b)]
    for p in range(n):
        best = max(range(p, n), key=lambda i: abs(m[i][p]))
        m[p], m[best] = m[best], m[p]
        for i in range(n):
            if i != p:
                f = m[i][p] / m[p][p]
                m[i] = [x - f * y for x, y in zip(m[i], m[p])]
    return [m[i][n] / m[i][i] for i in range(n)]


def others(factors):
    """For each, the product of all others."""
    return [math.prod(factors[:j] + factors[j + 1:]) for j in range(len(factors))]


def softmax(row):
    top = max(row)
    e = [math.exp(v - top) for v in row]
    return [v / math.fsum(e) for v in e]


def softmax_pulled(p, g):
    mean = math.fsum(a * b for a, b in zip(p, g))
    return [a * (b - mean) for a, b in zip(p, g)]


def in_f32(value):
    """A literal as a kernel of f32 has it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]
