"""What the kernels of this folder give, and their gradients: written from the mathematics, in f64, sharing nothing with kgrad.

Each function has a kernel's name. It takes the kernel's inputs and params, and the cotangents of its outputs, both by name, and
gives outputs and gradients by name: `y` is an output, `d_x` the gradient by x. What is left out is not compared. TOLERANCE says
where an answer is one of a limit, which the kernel comes close to.
"""
import math

from helpers import *  # noqa: F403
from linear import *  # noqa: F403  (answers by name)
from ports import *  # noqa: F403  (likewise)

TOLERANCE = {"newton_while": 1e-3, "newton_break": 1e-4, "bisection": 1e-3, "power_iteration": 1e-4, "sphere_tracing": 2e-2, "jacobi": 1e-4,
             "conjugate_gradient": 1e-3}


# --- iterations -----------------------------------------------------------------------


def logistic_orbit(x, r, steps):
    """The last value, and its derivatives by x and r, carried along."""
    by_x, by_r = 1.0, 0.0
    for _ in range(steps):
        slope = r * (1 - 2 * x)
        x, by_x, by_r = r * x * (1 - x), slope * by_x, slope * by_r + x * (1 - x)
    return x, by_x, by_r


def logistic(d, g):
    ends = [logistic_orbit(x, r, 1000) for x, r in zip(d["x0"], d["r"])]
    return {"y": [e[0] for e in ends], "d_x0": [v * e[1] for v, e in zip(g["y"], ends)], "d_r": [v * e[2] for v, e in zip(g["y"], ends)]}


def logistic_by_runs(d, g):
    return logistic(d, g)


def logistic_param(d, g):
    ends = [logistic_orbit(x, d["r"], d["steps"]) for x in d["x0"]]
    return {"y": [e[0] for e in ends], "d_x0": [v * e[1] for v, e in zip(g["y"], ends)],
            "d_r": [math.fsum(v * e[2] for v, e in zip(g["y"], ends))]}


def newton_while(d, g):
    return {"y": [math.sqrt(a) for a in d["a"]], "d_a": [v / (2 * math.sqrt(a)) for v, a in zip(g["y"], d["a"])]}


def newton_break(d, g):
    roots = [a ** (1 / 3) for a in d["a"]]
    return {"y": roots, "d_a": [v / (3 * y * y) for v, y in zip(g["y"], roots)]}


def bisection(d, g):
    def root(a, c):
        x = a
        for _ in range(200):
            x -= (x + c * math.sin(x) - a) / (1 + c * math.cos(x)) * 0.5
        return x
    y = [root(a, c) for a, c in zip(d["a"], d["c"])]
    slope = [1 + c * math.cos(x) for x, c in zip(y, d["c"])]
    return {"y": y, "d_a": [v / s for v, s in zip(g["y"], slope)], "d_c": [-v * math.sin(x) / s for v, x, s in zip(g["y"], y, slope)]}


def horner(d, g):
    powers = [[x ** k for k in range(len(d["c"]))] for x in d["x"]]
    slope = [math.fsum(k * c * x ** (k - 1) for k, c in enumerate(d["c"]) if k) for x in d["x"]]
    return {"y": [math.fsum(c * p for c, p in zip(d["c"], row)) for row in powers], "d_x": [v * s for v, s in zip(g["y"], slope)],
            "d_c": [math.fsum(v * row[k] for v, row in zip(g["y"], powers)) for k in range(len(d["c"]))]}


def continued_fraction(d, g):
    b = transposed(rows(d["b"], d["n"]))
    y, by = [], []
    for column, v in zip(b, g["y"]):
        values = [column[-1]]
        for term in column[-2::-1]:
            values.append(term + 1 / values[-1])
        values.reverse()  # values[k] is the fraction from k on
        slopes, slope = [], v
        for k in range(len(column)):
            slopes.append(slope)
            if k + 1 < len(column):
                slope *= -1 / values[k + 1] ** 2
        y.append(values[0]), by.append(slopes)
    return {"y": y, "d_b": flat(transposed(by))}


def euler_continue(d, g):
    y, by = [], []
    for x, v in zip(d["x0"], g["y"]):
        slope = v
        for skip in d["skip"]:
            if not skip:
                slope *= 1 + 0.125 * math.cos(x)
                x += 0.125 * math.sin(x)
        y.append(x), by.append(slope)
    return {"y": y, "d_x0": by}


def return_in_loop(d, g):
    y, by = [], []
    for x, v in zip(d["x"], g["y"]):
        slope = v
        for _ in range(20):
            slope *= 1 + x
            x *= 1 + 0.5 * x
            if x > 2:
                break
        y.append(x), by.append(slope)
    return {"y": y, "d_x": by}


def mandelbrot(d, g):
    y, by_x, by_y = [], [], []
    for cx, cy, v in zip(d["cx"], d["cy"], g["y"]):
        c, z, slope, k = complex(cx, cy), 0j, 0j, 0
        while abs(z) ** 2 < 64 and k < 12:
            z, slope, k = z * z + c, 2 * z * slope + 1, k + 1
        if abs(z) ** 2 >= 64:  # k + 1 - log2(log2 |z|): d log2 log2 |z| = d|z| / (|z| ln |z| ln 2)
            y.append(k + 1 - math.log2(math.log2(abs(z))))
            away = [-(z.conjugate() * slope * e).real / abs(z) / (abs(z) * math.log(abs(z)) * math.log(2)) for e in (1, 1j)]
        else:
            y.append(z.real)
            away = [(slope * e).real for e in (1, 1j)]
        by_x.append(v * away[0]), by_y.append(v * away[1])
    return {"y": y, "d_cx": by_x, "d_cy": by_y}


def pendulum(d, g):
    """The variational equation by the same method."""
    dt, k = d["dt"], d["damping"]

    def flow(state):
        a, w, *tangents = state
        slopes = [w, -math.sin(a) - k * w]
        for p, q in zip(tangents[::2], tangents[1::2]):
            slopes += [q, -math.cos(a) * p - k * q]
        return slopes

    ends = []
    for a, w in zip(d["angle"], d["speed"]):
        s, t = [a, w, 1.0, 0.0, 0.0, 1.0], 0.0
        while t < d["until"]:
            k1 = flow(s)
            k2 = flow([x + dt / 2 * y for x, y in zip(s, k1)])
            k3 = flow([x + dt / 2 * y for x, y in zip(s, k2)])
            k4 = flow([x + dt * y for x, y in zip(s, k3)])
            s = [x + dt / 6 * (p + 2 * q + 2 * r + u) for x, p, q, r, u in zip(s, k1, k2, k3, k4)]
            t += dt
        ends.append(s)
    pairs = list(zip(g["angle"], g["speed"], ends))
    return {"angle": [e[0] for e in ends], "speed": [e[1] for e in ends],
            "d_angle": [p * e[2] + q * e[3] for p, q, e in pairs], "d_speed": [p * e[4] + q * e[5] for p, q, e in pairs]}


def sphere_tracing(d, g):
    """Where the line meets the sphere: t = b - sqrt(b b - c), and what that is by u, the centre and the radius."""
    cx, cy, cz = d["centre"][0], d["centre"][1], 3 + d["centre"][2]
    c = cx * cx + cy * cy + cz * cz - d["radius"] ** 2
    depth, by_u, by_centre, by_radius = [], [], [0.0, 0.0, 0.0], 0.0
    for u, v in zip(d["u"], g["depth"]):
        length = math.hypot(1, u)
        dx, dz = u / length, 1 / length
        b = dx * cx + dz * cz
        if b * b <= c:
            depth.append(10.0), by_u.append(0.0)
            continue
        root = math.sqrt(b * b - c)
        by_b = 1 - b / root
        by_radius -= v * d["radius"] / root
        depth.append(b - root)
        by_u.append(v * by_b * (cx / length ** 3 - cz * u / length ** 3))
        for q, (along, at) in enumerate(((dx, cx), (0.0, cy), (dz, cz))):
            by_centre[q] += v * (by_b * along + at / root)
    return {"depth": depth, "d_u": by_u, "d_centre": by_centre, "d_radius": [by_radius]}


def power_iteration(d, g):
    a = rows(d["a"], 8)

    def greatest(m):
        v = [1.0] * 8
        for _ in range(500):
            v = [math.fsum(x * y for x, y in zip(row, v)) for row in m]
            size = math.hypot(*v)
            v = [x / size for x in v]
        return v, size
    v, value = greatest(a)
    u, _ = greatest(transposed(a))
    scale = g["y"][0] / math.fsum(x * y for x, y in zip(u, v))
    return {"y": [value], "d_a": [scale * x * y for x in u for y in v]}


def power_by_squaring(d, g):
    return {"y": [x ** e for x, e in zip(d["x"], d["e"])], "d_x": [v * e * x ** max(e - 1, 0) for x, e, v in zip(d["x"], d["e"], g["y"])]}


def trigamma(x):
    """By the recurrence up to 40, and the series there."""
    small = math.fsum(1 / (x + k) ** 2 for k in range(40))
    z = x + 40
    return small + 1 / z + 1 / (2 * z ** 2) + 1 / (6 * z ** 3) - 1 / (30 * z ** 5) + 1 / (42 * z ** 7)


def digamma(d, g):
    return {"d_x": [v * trigamma(x) for x, v in zip(d["x"], g["y"])]}


# --- stencils, as modules ------------------------------------------------------------------


def heat(d, g):
    n = d["n"]

    def step(u):
        return [u[0]] + [u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]) for i in range(1, n - 1)] + [u[-1]]

    def pulled(v):
        r = list(v)
        for i in range(1, n - 1):
            r[i] -= 0.5 * v[i]
            r[i - 1] += 0.25 * v[i]
            r[i + 1] += 0.25 * v[i]
        return r
    u, v = d["u0"], g["y"]
    for _ in range(200):
        u, v = step(u), pulled(v)
    return {"y": u, "d_u0": v}


def heat_in_place(d, g):
    u, v = d["u"], g["u"]
    for _ in range(200):
        u, v = ([w[i] + 0.25 * (w[i - 1] - 2 * w[i] + w[(i + 1) % len(w)]) for i in range(len(w))] for w in (u, v))
    return {"u": u, "d_u": v}


def fisher_run(u, g, r, steps):
    n, path = len(u), []
    for _ in range(steps):
        path.append(u)
        u = [x + 0.25 * (u[max(i - 1, 0)] - 2 * x + u[min(i + 1, n - 1)]) + r * x * (1 - x) for i, x in enumerate(u)]
    by_r = 0.0
    for w in reversed(path):
        by_r += math.fsum(x * (1 - x) * v for x, v in zip(w, g))
        back = [(0.5 + r * (1 - 2 * x)) * v for x, v in zip(w, g)]
        for i in range(n):
            back[max(i - 1, 0)] += 0.25 * g[i]
            back[min(i + 1, n - 1)] += 0.25 * g[i]
        g = back
    return u, g, by_r


def fisher(d, g):
    y, by, by_r = fisher_run(d["u0"], g["y"], d["r"], 200)
    return {"y": y, "d_u0": by, "d_r": [by_r]}


def fisher_in_place(d, g):
    y, by, by_r = fisher_run(d["u"], g["u"], d["r"], 200)
    return {"u": y, "d_u": by, "d_r": [by_r]}


def brusselator(d, g):
    n, b, dt, path = d["n"], in_f32(1.7), in_f32(0.05), []
    around = [((i - 1) % n * n + j, (i + 1) % n * n + j, i * n + (j - 1) % n, i * n + (j + 1) % n) for i in range(n) for j in range(n)]
    lap = lambda w: [sum(w[q] for q in near) - 4 * w[c] for c, near in enumerate(around)]
    u, v = d["u0"], d["v0"]
    for _ in range(2 * d["steps"] + 2):
        path.append((u, v))
        u, v = [x + dt * (1 + x * x * y - (b + 1) * x + 0.5 * l) for x, y, l in zip(u, v, lap(u))], \
            [y + dt * (b * x - x * x * y + 0.5 * l) for x, y, l in zip(u, v, lap(v))]
    p, q = g["u"], g["v"]
    for x, y in reversed(path):  # the Laplacian is symmetric
        p, q = [s + dt * ((2 * a * c - b - 1) * s + 0.5 * l + (b - 2 * a * c) * t) for s, t, l, a, c in zip(p, q, lap(p), x, y)], \
            [t + dt * (a * a * (s - t) + 0.5 * l) for s, t, l, a in zip(p, q, lap(q), x)]
    return {"u": u, "v": v, "d_u0": p, "d_v0": q}


def leapfrog(d, g):
    n, h, path = d["n"], in_f32(0.1), []
    x, v = list(d["x"]), list(d["v"])
    force = lambda s: s + s ** 3
    for _ in range(d["steps"]):
        path.append(list(x))
        v = [v[i] + h * (force(x[i - 1] - x[i]) + force(x[(i + 1) % n] - x[i])) for i in range(n)]
        x = [a + h * b for a, b in zip(x, v)]
    p, q = list(g["x"]), list(g["v"])
    for w in reversed(path):
        q = [b + h * a for a, b in zip(p, q)]
        for i in range(n):
            for other in (i - 1, (i + 1) % n):
                pull = h * (1 + 3 * (w[other] - w[i]) ** 2) * q[i]
                p[other] += pull
                p[i] -= pull
    return {"x": x, "v": v, "d_x": p, "d_v": q}


def wave_equation(d, g):
    """The speed's square is what multiplies the Laplacian, which is symmetric."""
    n, c2, path = d["n"], [v * v for v in d["speed"]], []
    lap = lambda w: [w[i - 1] - 2 * w[i] + w[(i + 1) % n] for i in range(n)]
    before, now = d["u0"], d["u0"]
    for _ in range(12):
        path.append(now)
        before, now = now, [2 * p - q + s * l for p, q, s, l in zip(now, before, c2, lap(now))]
    by_before, by_now, by = [0.0] * n, g["y"], [0.0] * n
    for w in reversed(path):
        by = [a + 2 * s * l * v for a, s, l, v in zip(by, d["speed"], lap(w), by_now)]
        pulled = lap([s * v for s, v in zip(c2, by_now)])
        by_before, by_now = [-v for v in by_now], [p + 2 * v + l for p, v, l in zip(by_before, by_now, pulled)]
    return {"y": now, "d_u0": [p + q for p, q in zip(by_before, by_now)], "d_speed": by}


# --- reductions, scans, rows --------------------------------------------------------------------


def norm_by_tree(d, g):
    lines = rows(d["x"], d["cols"])
    return {"y": [math.hypot(*row) for row in lines], "d_x": [v * x / math.hypot(*row) for row, v in zip(lines, g["y"]) for x in row]}


def scan_hillis_steele(d, g):
    y, by = [], []
    for block, v in zip(rows(d["x"], 32), rows(g["y"], 32)):
        y += [math.prod(block[:i + 1]) for i in range(len(block))]
        by += [math.fsum(v[i] * math.prod(block[:j] + block[j + 1:i + 1]) for i in range(j, len(block))) for j in range(len(block))]
    return {"y": y, "d_x": by}


def scan_blelloch(d, g):
    y, by = [], []
    for block, v in zip(rows(d["x"], 32), rows(g["y"], 32)):
        y += [math.fsum(x * x for x in block[:i]) for i in range(len(block))]
        by += [2 * x * math.fsum(v[j + 1:]) for j, x in enumerate(block)]
    return {"y": y, "d_x": by}


def softmax_of_rows(d, g, width):
    p = [softmax(row) for row in rows(d["x"], width)]
    return {"y": flat(p), "d_x": flat(softmax_pulled(a, b) for a, b in zip(p, rows(g["y"], width)))}


def softmax_parked(d, g):
    return softmax_of_rows(d, g, d["cols"])


def softmax_parked_workgroup(d, g):
    return softmax_of_rows(d, g, d["cols"])


def subgroup_softmax(d, g):
    return softmax_of_rows(d, g, 64)


def subgroup_sum(d, g):
    away = [a - b for a, b in zip(d["a"], d["b"])]
    by = [2 * v * g["loss"][0] for v in away]
    return {"loss": [d["loss"][0] + math.fsum(v * v for v in away)], "d_a": by, "d_b": [-v for v in by], "d_loss": g["loss"]}


def subgroup_scan(d, g):
    y, by = [], []
    for block, v in zip(rows(d["density"], 4), rows(g["y"], 4)):
        out = [math.exp(-math.fsum(block[:i + 1])) for i in range(len(block))]
        y += out
        by += [-math.fsum(a * b for a, b in zip(v[j:], out[j:])) for j in range(len(block))]
    return {"y": y, "d_density": by}


def subgroup_butterfly(d, g):
    y, by = [], []
    for block, v in zip(rows(d["x"], 4), rows(g["y"], 4)):
        s = math.fsum(block)
        out = [x / s for x in block]
        mean = math.fsum(a * b for a, b in zip(v, out))
        y += out
        by += [(a - mean) / s for a in v]
    return {"y": y, "d_x": by}


def cumprod_in_buffer(d, g):
    y, by = [], []
    for row, v in zip(rows(d["a"], d["cols"]), rows(g["y"], d["cols"])):
        y += [math.prod(row[:i + 1]) for i in range(len(row))]
        by += [math.fsum(v[i] * others(row[:i + 1])[j] for i in range(j, len(row))) for j in range(len(row))]
    return {"y": y, "d_a": by}


def cumprod_in_var(d, g):
    lines = rows(d["a"], d["cols"])
    return {"y": [math.prod(row) for row in lines], "d_a": flat([v * o for o in others(row)] for row, v in zip(lines, g["y"]))}


def delay_line(d, g):
    n, back = d["n"], d["d"]
    y, by, by_g = [], [], [0.0] * n
    for x, v in zip(rows(d["x"], n), rows(g["y"], n)):
        out, l = [], list(v)
        for i in range(n):
            out.append(x[i] + (d["g"][i] * out[i - back] if i >= back else 0))
        for i in reversed(range(back, n)):
            l[i - back] += d["g"][i] * l[i]
            by_g[i] += l[i] * out[i - back]
        y += out
        by += l
    return {"y": y, "d_x": by, "d_g": by_g}


def moving_average(d, g):
    beta, cols = d["beta"], d["cols"]
    weight = lambda i, j: (1 - beta) * beta ** (i - j) / (1 - beta ** (i + 1))
    y, by = [], []
    for x, v in zip(rows(d["x"], cols), rows(g["y"], cols)):
        y += [math.fsum(weight(i, j) * x[j] for j in range(i + 1)) for i in range(cols)]
        by += [math.fsum(weight(i, j) * v[i] for i in range(j, cols)) for j in range(cols)]
    return {"y": y, "d_x": by}


def kahan(d, g):
    lines = rows(d["x"], d["cols"])
    return {"y": [math.fsum(x * x for x in row) for row in lines], "d_x": [2 * x * v for row, v in zip(lines, g["y"]) for x in row]}


def running_max(d, g):
    cols, hi, lo, by = d["cols"], [], [], []
    for x, up, down in zip(rows(d["x"], cols), rows(g["hi"], cols), rows(g["lo"], cols)):
        line = [0.0] * cols
        for i in range(cols):
            for choose, weights, out in ((max, up, hi), (min, down, lo)):
                at = choose(range(i + 1), key=lambda j: x[j])
                out.append(x[at])
                line[at] += weights[i]
        by += line
    return {"hi": hi, "lo": lo, "d_x": by}


def running_max_if(d, g):
    lines = rows(d["x"], d["cols"])
    return {"y": [max(row) ** 2 for row in lines],
            "d_x": [2 * v * x if x == max(row) else 0.0 for row, v in zip(lines, g["y"]) for x in row]}


def argmax_gather(d, g):
    y, by, by_value = [], [], [0.0] * d["cols"]
    for row, v in zip(rows(d["score"], d["cols"]), g["y"]):
        at = max(range(len(row)), key=lambda j: row[j])
        y.append(row[at] * d["value"][at])
        by += [v * d["value"][at] if j == at else 0.0 for j in range(len(row))]
        by_value[at] += v * row[at]
    return {"y": y, "d_score": by, "d_value": by_value}


def compaction(d, g):
    return {"y": [max(x, 0.0) ** 3 for x in d["x"]], "d_x": [3 * v * max(x, 0.0) ** 2 for x, v in zip(d["x"], g["y"])]}


def compaction_by_cursor(d, g):
    inside = [x for x in d["x"] if x > 0]
    return {"loss": [d["loss"][0] + math.fsum(math.sin(x * x) for x in inside)],
            "d_x": [2 * x * math.cos(x * x) * g["loss"][0] if x > 0 else 0.0 for x in d["x"]], "d_loss": g["loss"]}


def sorted_places(row):
    return sorted(range(len(row)), key=lambda j: row[j])


def bubble_sort(d, g):
    y, by = [], []
    for row, v in zip(rows(d["x"], d["n"]), rows(g["x"], d["n"])):
        line = [0.0] * len(row)
        for place, j in enumerate(sorted_places(row)):
            line[j] = v[place]
        y += sorted(row)
        by += line
    return {"x": y, "d_x": by}


def bitonic_sort(d, g):
    by = bubble_sort({"x": d["x"], "n": 32}, {"x": g["y"]})
    return {"y": by["x"], "d_x": by["d_x"]}


def insertion_sort(d, g):
    y, by = [], []
    for row, v in zip(rows(d["x"], 7), rows(g["y"], 7)):
        a, order = sorted(row), sorted_places(row)
        line = [0.0] * 7
        line[order[0]] += v[0]
        for i in range(1, 7):
            pull = 2 * v[i] * (a[i] - a[i - 1])
            line[order[i]] += pull
            line[order[i - 1]] -= pull
        y += [a[0]] + [(p - q) ** 2 for p, q in zip(a[1:], a)]
        by += line
    return {"y": y, "d_x": by}


def normalised(x, epsilon, g, scale):
    """n, and the gradient of x where g scale reaches n."""
    mean = math.fsum(x) / len(x)
    inverse = 1 / math.sqrt(math.fsum((v - mean) ** 2 for v in x) / len(x) + epsilon)
    n = [(v - mean) * inverse for v in x]
    h = [a * b for a, b in zip(g, scale)]
    first, second = math.fsum(h) / len(x), math.fsum(a * b for a, b in zip(h, n)) / len(x)
    return n, [inverse * (a - first - b * second) for a, b in zip(h, n)]


def layer_norm_in_place(d, g):
    cols = d["cols"]
    parts = [normalised(x, in_f32(1e-3), v, [1.0] * cols) for x, v in zip(rows(d["x"], cols), rows(g["x"], cols))]
    return {"x": flat(p[0] for p in parts), "d_x": flat(p[1] for p in parts)}


def group_norm(d, g):
    pixels, y, by = d["pixels"], [], []
    by_scale, by_shift = [0.0] * 6, [0.0] * 6
    for k, (x, v) in enumerate(zip(rows(d["x"], 3 * pixels), rows(g["y"], 3 * pixels))):
        channel = [k % 2 * 3 + e // pixels for e in range(3 * pixels)]
        n, back = normalised(x, d["epsilon"], v, [d["scale"][c] for c in channel])
        y += [a * d["scale"][c] + d["shift"][c] for a, c in zip(n, channel)]
        by += back
        for a, b, c in zip(v, n, channel):
            by_scale[c] += a * b
            by_shift[c] += a
    return {"y": y, "d_x": by, "d_scale": by_scale, "d_shift": by_shift}


def batch_norm(d, g):
    c, parts = d["c"], []
    for k in range(c):
        x, v = d["x"][k::c], g["y"][k::c]
        n, back = normalised(x, 0.0009765625, v, [d["scale"][k]] * len(x))
        parts.append((n, back, math.fsum(a * b for a, b in zip(n, v))))
    return {"y": [v * d["scale"][k] for row in zip(*(p[0] for p in parts)) for k, v in enumerate(row)],
            "d_x": flat(zip(*(p[1] for p in parts))), "d_scale": [p[2] for p in parts]}


def sparse_rows(d, g):
    y, by_v, by_x = [], [0.0] * d["entries"], [0.0] * d["cols"]
    for r, v in enumerate(g["y"]):
        sums, span = [0.0], range(d["row"][r], d["row"][r + 1])
        for j in span:
            sums.append(math.tanh(sums[-1] + d["v"][j] * d["x"][d["col"][j]]))
        y.append(sums[-1])
        for s, j in zip(reversed(sums), reversed(span)):
            v *= 1 - s * s
            by_v[j] += v * d["x"][d["col"][j]]
            by_x[d["col"][j]] += v * d["v"][j]
    return {"y": y, "d_v": by_v, "d_x": by_x}


def soft_histogram(d, g):
    bins, h, by_x, by_w = d["bins"], list(d["h"]), [], []
    for x, w in zip(d["x"], d["w"]):
        b, part = int(x * (bins - 1)), x * (bins - 1) % 1
        h[b] += w * (1 - part)
        h[b + 1] += w * part
        by_x.append(w * (g["h"][b + 1] - g["h"][b]) * (bins - 1))
        by_w.append(g["h"][b] * (1 - part) + g["h"][b + 1] * part)
    return {"h": h, "d_x": by_x, "d_w": by_w, "d_h": g["h"]}


def histogram_shared(d, g):
    h = list(d["h"])
    for b, w in zip(d["bin"], d["w"]):
        h[b] += w * w
    return {"h": h, "d_w": [2 * w * g["h"][b] for b, w in zip(d["bin"], d["w"])], "d_h": g["h"]}


def welford(d, g):
    cols = d["cols"]
    parts = [normalised(x, in_f32(1e-5), v, [1.0] * cols) for x, v in zip(rows(d["x"], cols), rows(g["y"], cols))]
    return {"y": flat(p[0] for p in parts), "d_x": flat(p[1] for p in parts)}


def segment_softmax(d, g):
    y, by = [0.0] * d["n"], [0.0] * d["n"]
    for s in set(d["segment"]):
        places = [i for i, k in enumerate(d["segment"]) if k == s]
        p = softmax([d["x"][i] for i in places])
        for i, a, b in zip(places, p, softmax_pulled(p, [g["y"][i] for i in places])):
            y[i], by[i] = a, b
    return {"y": y, "d_x": by}


def counting_sort(d, g):
    total = [math.fsum(x * x for x, k in zip(d["x"], d["key"]) if k == b) for b in range(d["bins"])]
    return {"y": [s * s for s in total], "d_x": [4 * g["y"][k] * total[k] * x for x, k in zip(d["x"], d["key"])]}


def shared_list_append(d, g):
    x = rows(d["x"], 8)
    return {"y": [math.fsum(v ** 4 for v in row if v > 0) for row in x], "d_x": flat([4 * w * v ** 3 if v > 0 else 0.0 for v in row] for row, w in zip(x, g["y"]))}


# --- learning, physics, pictures ------------------------------------------------------------------------


def rnn(d, g):
    H, width, steps = 8, d["width"], d["steps"]
    w, u = rows(d["w"], width), rows(d["u"], H)
    y, by_x = [], []
    by_w, by_u, by_b = [[0.0] * width for _ in w], [[0.0] * H for _ in u], [0.0] * H
    for x, v in zip(rows(rows(d["x"], width), steps), rows(rows(g["y"], H), steps)):
        h = [[0.0] * H]
        for t in range(steps):
            sums = [b + sum(p * q for p, q in zip(wj, x[t])) + sum(p * q for p, q in zip(uj, h[t])) for b, wj, uj in zip(d["b"], w, u)]
            h.append([math.tanh(v) for v in sums])
        y += flat(h[1:])
        back, lines = [0.0] * H, []
        for t in reversed(range(steps)):
            a = [(v[t][j] + back[j]) * (1 - h[t + 1][j] ** 2) for j in range(H)]
            for j in range(H):
                by_b[j] += a[j]
                by_w[j] = [p + a[j] * q for p, q in zip(by_w[j], x[t])]
                by_u[j] = [p + a[j] * q for p, q in zip(by_u[j], h[t])]
            lines.append([sum(a[j] * w[j][k] for j in range(H)) for k in range(width)])
            back = [sum(a[j] * u[j][k] for j in range(H)) for k in range(H)]
        by_x += flat(reversed(lines))
    return {"y": y, "d_x": by_x, "d_w": flat(by_w), "d_u": flat(by_u), "d_b": by_b}


def rnn_module(d, g):
    n, u = d["width"], rows(d["u"], d["width"])
    h, v = [rows(d["h"], n)[0]], rows(g["h"], n)
    for _ in range(d["steps"]):
        h.append([math.tanh(sum(p * q for p, q in zip(row, h[-1]))) for row in u])
    by_u, back = [[0.0] * n for _ in u], v[-1]
    for t in reversed(range(d["steps"])):
        a = [p * (1 - q * q) for p, q in zip(back, h[t + 1])]
        by_u = [[p + s * q for p, q in zip(line, h[t])] for line, s in zip(by_u, a)]
        back = [v[t][k] + sum(a[i] * u[i][k] for i in range(n)) for k in range(n)]
    return {"h": flat(h), "d_u": flat(by_u), "d_h": back + [0.0] * (n * d["steps"])}


def attention(d, g, D=4):
    q, k, v, c = (rows(a, D) for a in (d["q"], d["k"], d["v"], g["y"]))
    p = [softmax(row) for row in product(q, transposed(k))]
    s = [softmax_pulled(a, b) for a, b in zip(p, product(c, transposed(v)))]
    return {"y": flat(product(p, v)), "d_v": flat(product(transposed(p), c)), "d_q": flat(product(s, k)),
            "d_k": flat(product(transposed(s), q))}


flash_attention = flash_attention_tiled = attention


def causal_attention(d, g, D=3):
    """The scores are an output too, without a cotangent."""
    q, k, v, c = (rows(a, D) for a in (d["q"], d["k"], d["v"], g["y"]))
    p = [softmax(row[:i + 1]) + [0.0] * (len(k) - i - 1) for i, row in enumerate(product(q, transposed(k)))]
    s = [softmax_pulled(a, b) for a, b in zip(p, product(c, transposed(v)))]
    return {"y": flat(product(p, v)), "d_v": flat(product(transposed(p), c)), "d_q": flat(product(s, k)),
            "d_k": flat(product(transposed(s), q))}


def selective_scan(d, g):
    N, C, steps = 4, d["channels"], d["steps"]
    x, dt, b, c, a, cot = rows(d["x"], C), rows(d["dt"], C), rows(d["b"], N), rows(d["c"], N), rows(d["a"], N), rows(g["y"], C)
    soft = [[math.log1p(math.exp(v)) for v in row] for row in dt]
    y, by_x, by_dt = ([[0.0] * C for _ in range(steps)] for _ in range(3))
    by_b, by_c, by_a, by_skip = [[0.0] * N for _ in b], [[0.0] * N for _ in c], [[0.0] * N for _ in a], [0.0] * C
    for ch in range(C):
        for t in range(steps):
            y[t][ch] += d["skip"][ch] * x[t][ch]
            by_x[t][ch] += d["skip"][ch] * cot[t][ch]
            by_skip[ch] += x[t][ch] * cot[t][ch]
        for s in range(N):
            h = [0.0]
            for t in range(steps):
                h.append(math.exp(soft[t][ch] * a[ch][s]) * h[-1] + soft[t][ch] * b[t][s] * x[t][ch])
                y[t][ch] += c[t][s] * h[-1]
            back = 0.0
            for t in reversed(range(steps)):
                step, decay = soft[t][ch], math.exp(soft[t][ch] * a[ch][s])
                back += c[t][s] * cot[t][ch]
                by_c[t][s] += h[t + 1] * cot[t][ch]
                by_a[ch][s] += back * step * decay * h[t]
                by_b[t][s] += back * step * x[t][ch]
                by_x[t][ch] += back * step * b[t][s]
                by_dt[t][ch] += back * (a[ch][s] * decay * h[t] + b[t][s] * x[t][ch]) / (1 + math.exp(-dt[t][ch]))
                back *= decay
    return {"y": flat(y), "d_x": flat(by_x), "d_dt": flat(by_dt), "d_a": flat(by_a), "d_b": flat(by_b), "d_c": flat(by_c),
            "d_skip": by_skip}


def gmm(d, g):
    K, D = 4, 3
    prior, y, by_alpha = softmax(d["alpha"]), [], [0.0] * K
    by_mean, by_x = [[0.0] * D for _ in range(K)], []
    q = [[[math.exp(f[0]), 0, 0], [f[3], math.exp(f[1]), 0], [f[4], f[5], math.exp(f[2])]] for f in rows(d["factor"], 6)]
    for x, v in zip(rows(d["x"], D), g["y"]):
        away = [[p - m for p, m in zip(x, mean)] for mean in rows(d["mean"], D)]
        z = [[sum(r * w for r, w in zip(line, a)) for line in m] for m, a in zip(q, away)]
        terms = [al + sum(f[:D]) - 0.5 * sum(w * w for w in s) for al, f, s in zip(d["alpha"], rows(d["factor"], 6), z)]
        p = softmax(terms)
        y.append(max(terms) + math.log(sum(math.exp(t - max(terms)) for t in terms)) - math.log(sum(math.exp(al) for al in d["alpha"])))
        line = [0.0] * D
        for k in range(K):
            by_alpha[k] += v * (p[k] - prior[k])
            pull = [v * p[k] * sum(q[k][r][e] * z[k][r] for r in range(D)) for e in range(D)]
            by_mean[k] = [s + t for s, t in zip(by_mean[k], pull)]
            line = [s - t for s, t in zip(line, pull)]
        by_x += line
    return {"y": y, "d_alpha": by_alpha, "d_mean": flat(by_mean), "d_x": by_x}


def splats(d, g):
    w, h, count, image = d["w"], d["h"], d["count"], []
    by_colour, by_opacity, opaque = [0.0] * (3 * count), [0.0] * count, in_f32(0.99)
    for at, v in enumerate(rows(g["image"], 3)):
        x, y, through, used = at % w, at // w, 1.0, []
        for k in range(count):
            dx, dy, (a, b, c) = x - d["cx"][k], y - d["cy"][k], d["conic"][3 * k:3 * k + 3]
            power = -0.5 * (a * dx * dx + c * dy * dy) - 0.5 * b * dx * dy
            full = d["opacity"][k] * math.exp(power)
            alpha = min(opaque, full)
            if power > 0 or alpha < 1 / 255:
                continue
            if through * (1 - alpha) < in_f32(0.02):
                break
            used.append((k, alpha, through, math.exp(power) if full < opaque else 0.0))
            through *= 1 - alpha
        behind = [in_f32(0.1) * through] * 3
        for k, alpha, came, by_alpha in reversed(used):
            colour = d["colour"][3 * k:3 * k + 3]
            for q in range(3):
                by_colour[3 * k + q] += v[q] * alpha * came
                by_opacity[k] += v[q] * by_alpha * (colour[q] * came - behind[q] / (1 - alpha))
                behind[q] += colour[q] * alpha * came
        image += behind
    return {"image": image, "d_colour": by_colour, "d_opacity": by_opacity}


def volume_render(d, g):
    steps, y, by_colour, by_density = d["steps"], [], [], []
    for density, colour, v in zip(rows(d["density"], steps), rows(d["colour"], steps), g["y"]):
        through = [1.0]
        while len(through) <= steps and through[-1] > in_f32(0.01):
            through.append(through[-1] * math.exp(-density[len(through) - 1]))
        done = len(through) - 1
        parts = [(through[k] - through[k + 1]) * colour[k] for k in range(done)]
        y.append(math.fsum(parts))
        by_colour += [v * (through[k] - through[k + 1]) for k in range(done)] + [0.0] * (steps - done)
        by_density += [v * (through[k + 1] * colour[k] - math.fsum(parts[k + 1:])) for k in range(done)] + [0.0] * (steps - done)
    return {"y": y, "d_colour": by_colour, "d_density": by_density}


def lattice_boltzmann(d, g):
    """All cotangents are 1 here, so what is differentiated is the mass."""
    assert set(g["f"]) == {1.0}
    return {"d_f": g["f"]}


def nbody(d, g):
    n, soft = d["n"], d["soft"]
    x, v = rows(d["x"], 3), rows(g["y"], 3)
    y, by, by_mass = [[0.0] * 3 for _ in x], [[0.0] * 3 for _ in x], [0.0] * n
    for i in range(n):
        for j in range(n):
            s = [q - p for p, q in zip(x[i], x[j])]
            r2 = sum(t * t for t in s) + soft
            along = sum(p * q for p, q in zip(s, v[i]))
            by_mass[j] += along * r2 ** -1.5
            for c in range(3):
                y[i][c] += d["mass"][j] * s[c] * r2 ** -1.5
                pull = d["mass"][j] * (v[i][c] * r2 ** -1.5 - 3 * along * s[c] * r2 ** -2.5)
                by[j][c] += pull
                by[i][c] -= pull
    return {"y": flat(y), "d_x": flat(by), "d_mass": by_mass}


# --- loops that count -----------------------------------------------------------------


def grid_stride_while(d, g):
    return {"y": [v**3 for v in d["x"]], "d_x": [3 * v * v * u for v, u in zip(d["x"], g["y"])]}


def signed_grid_stride(d, g):
    return grid_stride_while(d, g)


def signed_rows(d, g):
    """y = x |x|^2, by rows: the gradient is u |x|^2 + 2 x (x . u)."""
    y, by, cols = [], [], d["cols"]
    for r in range(d["rows"]):
        x, u = d["x"][r * cols:(r + 1) * cols], g["y"][r * cols:(r + 1) * cols]
        square, along = math.fsum(v * v for v in x), math.fsum(v * w for v, w in zip(x, u))
        y += [v * square for v in x]
        by += [w * square + 2 * v * along for v, w in zip(x, u)]
    return {"y": y, "d_x": by}


def signed_channels(d, g):
    x, scale, u, channels = d["x"], d["scale"], g["y"], d["C"]
    return {"y": [v * v * scale[k % channels] for k, v in enumerate(x)], "d_x": [2 * v * scale[k % channels] * u[k] for k, v in enumerate(x)],
            "d_scale": [math.fsum(x[k] * x[k] * u[k] for k in range(c, len(x), channels)) for c in range(channels)]}


def tree_while(d, g):
    x, width = d["x"], 16
    return {"y": [math.fsum(v * v for v in x[k:k + width]) for k in range(0, len(x), width)],
            "d_x": [2 * v * g["y"][k // width] for k, v in enumerate(x)]}


def stepped_pointer(d, g):
    """Of the product up to row r by the factor of row q: the product of the others."""
    x, n, m = d["x"], d["n"], d["m"]
    y = [math.prod(x[q * n + c] for q in range(r + 1)) for r in range(m) for c in range(n)]
    by = [math.fsum(g["y"][r * n + c] * math.prod(x[p * n + c] for p in range(r + 1) if p != q) for r in range(q, m))
          for q in range(m) for c in range(n)]
    return {"y": y, "d_x": by}


def tiles_cut_short(d, g):
    """s = s b + a, over all of b: by a the sum of what each one is multiplied by later, by b the s before it times the same."""
    y, by_a, by_b = [], [], [0.0] * len(d["b"])
    for a, u in zip(d["a"], g["y"]):
        states = [1.0]
        for v in d["b"]:
            states.append(states[-1] * v + a)
        y.append(states[-1])
        later, total = u, 0.0
        for k in reversed(range(len(d["b"]))):
            total += later
            by_b[k] += later * states[k]
            later *= d["b"][k]
        by_a.append(total)
    return {"y": y, "d_a": by_a, "d_b": by_b}


def rows_from_rows(d, g):
    steps, width = d["steps"], 8
    y, by_x = [], [0.0] * len(d["x"])
    for b in range(2):
        first = b * steps * width
        x = [d["x"][first + t * width:first + (t + 1) * width] for t in range(steps)]
        rows = [x[0]]
        for t in range(1, steps):
            rows.append([rows[-1][s - 1] * rows[-1][s] + x[t][s] for s in range(width)])
        y += rows[-1][::-1]
        by = g["y"][b * width:(b + 1) * width][::-1]
        for t in range(steps - 1, -1, -1):
            by_x[first + t * width:first + (t + 1) * width] = by
            if t:
                before = rows[t - 1]
                by = [by[s] * before[s - 1] + by[(s + 1) % width] * before[(s + 1) % width] for s in range(width)]
    return {"y": y, "d_x": by_x}
