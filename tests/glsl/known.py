"""What the shaders in the style of real projects compute, by formulas in double precision: NAME(b, p) gives the outputs, by set and
binding, from the contents on entry `b` and the push constants and uniforms `p`, by name. Written from the mathematics: sums are
sums here, whatever tree the shader makes of them."""
import math


def rows_of(values, columns):
    return [values[k:k + columns] for k in range(0, len(values), columns)]


def flat(rows):
    return [v for row in rows for v in row]


def moments(values):
    mean = math.fsum(values) / len(values)
    return mean, math.fsum((v - mean) ** 2 for v in values) / len(values)


def softened(row):
    most = max(row)
    exps = [math.exp(v - most) for v in row]
    return [e / math.fsum(exps) for e in exps]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def saxpy(b, p):
    return {"0.1": [p["a"] * x + y for x, y in zip(b["0.0"], b["0.1"])]}


def loop_rows(b, p):
    return {"0.1": [dot(row, row) for row in rows_of(b["0.0"], p["cols"])]}


def rms_norm(b, p):
    def normed(row):
        size = math.sqrt(dot(row, row) / len(row) + p["eps"])
        return [v * w / size for v, w in zip(row, b["0.1"])]
    return {"0.2": flat(normed(row) for row in rows_of(b["0.0"], p["columns"]))}


def rope(b, p):
    def turned(row, position):
        out = list(row)
        for k in range(0, p["rotated"], 2):
            angle = position * p["base"] ** (-k / p["rotated"])
            point = complex(row[k], row[k + 1]) * complex(math.cos(angle), math.sin(angle)) * p["scale"]
            out[k:k + 2] = point.real, point.imag
        return out
    return {"0.2": flat(turned(row, at) for row, at in zip(rows_of(b["0.0"], p["dims"]), b["0.1"]))}


def soft_max(b, p):
    return {"0.2": flat(softened([p["scale"] * v + p["slope"] * m for v, m in zip(row, b["0.1"])])
                        for row in rows_of(b["0.0"], p["columns"]))}


def group_norm(b, p):
    def normed(row):
        mean, variance = moments(row)
        return [(v - mean) / math.sqrt(variance + p["eps"]) for v in row]
    return {"0.1": flat(normed(row) for row in rows_of(b["0.0"], p["group"]))}


def gelu(b, p):
    root = math.sqrt(2 / math.pi)
    return {"0.1": [0.5 * v * (1 + math.tanh(root * (v + 0.044715 * v**3))) for v in b["0.0"]]}


def im2col(b, p):
    out = []
    for pixel in range(p["ow"] * p["oh"]):
        for c in range(p["channels"]):
            for ky in range(p["kh"]):
                for kx in range(p["kw"]):
                    y = pixel // p["ow"] * p["s0"] + ky * p["d0"] - p["p0"]
                    x = pixel % p["ow"] * p["s0"] + kx * p["d0"] - p["p0"]
                    inside = 0 <= x < p["iw"] and 0 <= y < p["ih"]
                    out.append(b["0.0"][(c * p["ih"] + y) * p["iw"] + x] if inside else 0.0)
    return {"0.1": out}


def conv2d(b, p):
    out = []
    for z in range(2):
        for y in range(p["outh"]):
            for x in range(p["outw"]):
                for channel in range(4):
                    total = b["0.2"][4 * z + channel]
                    for c in range(p["channels"]):
                        for v in range(3):
                            for u in range(3):
                                total += b["0.0"][(c * p["h"] + y + v) * p["w"] + x + u] * \
                                    b["0.1"][4 * ((z * p["channels"] + c) * 9 + 3 * v + u) + channel]
                    out.append(max(total, 0.0))
    return {"0.3": out}


def flash_attention(b, p):
    q, k, v = (rows_of(b[f"0.{j}"], 8) for j in range(3))
    out = []
    for row in range(p["tokens"]):
        weight = softened([p["scale"] * dot(q[row], k[j]) for j in range(row + 1)])
        out += [dot(weight, [v[j][d] for j in range(row + 1)]) for d in range(8)]
    return {"0.3": out}


def adam(b, p):
    m = [p["beta1"] * m + (1 - p["beta1"]) * g for m, g in zip(b["0.2"], b["0.1"])]
    v = [p["beta2"] * v + (1 - p["beta2"]) * g * g for v, g in zip(b["0.3"], b["0.1"])]
    right = [1 - p[name] ** p["step"] for name in ("beta1", "beta2")]
    x = [x * (1 - p["alpha"] * p["decay"]) - p["alpha"] * (m / right[0]) / (math.sqrt(v / right[1]) + p["eps"])
         for x, m, v in zip(b["0.0"], m, v)]
    return {"0.0": x, "0.2": m, "0.3": v}


def batch_norm(b, p):
    channels, pixels = 3, p["pixels"]
    planes = rows_of(b["0.0"], pixels)
    out = [None] * len(planes)
    for c in range(channels):
        gamma, beta = b["0.1"][4 * c:4 * c + 2]
        mean, variance = moments(flat(planes[c::channels]))
        for k in range(c, len(planes), channels):
            out[k] = [gamma * (v - mean) / math.sqrt(variance + 1e-3) + beta for v in planes[k]]
    return {"0.2": flat(out)}


def cross_entropy(b, p):
    rows = [(row, label) for row, label in zip(rows_of(b["0.0"], p["classes"]), b["0.1"]) if label >= 0]
    return {"0.2": [-math.fsum(math.log(softened(row)[label]) for row, label in rows) / p["rows"]]}


def matmul_tiles(b, p):
    return {"0.2": [dot(x, y) for x in rows_of(b["0.0"], p["K"]) for y in rows_of(b["0.1"], p["K"])]}


def max_pool(b, p):
    x = rows_of(b["0.0"], 8)
    return {"0.1": [max(x[2 * i][2 * j], x[2 * i][2 * j + 1], x[2 * i + 1][2 * j], x[2 * i + 1][2 * j + 1])
                    for i in range(4) for j in range(4)]}


def word_extremes(b, p):
    v = [1.5 * x if k % 5 else -0.0 for k, x in enumerate(b["0.0"])]
    most = list(b["0.1"])
    for k, x in enumerate(v):  # as words: -0 is the least
        if x >= 0 and math.copysign(1, x) > 0:
            most[k % 6] = x if math.copysign(1, most[k % 6]) < 0 else max(most[k % 6], x)
    groups = [v[:16], v[16:]]
    near = [[abs(x) + 0.5 for k, x in enumerate(group) if (16 * g + k) % 5] for g, group in enumerate(groups)]
    return {"0.1": most, "0.2": [max(0.0, *group) ** 2 for group in groups], "0.3": [min(group) for group in near]}


def n_body(b, p):
    bodies, speeds, n = rows_of(b["0.0"], 4), rows_of(b["0.1"], 4), p["n"]
    out = [[0.0] * 4 for _ in bodies]
    for i in range(n):
        force = [0.0] * 3
        for j in range(n):
            d = [bodies[j][a] - bodies[i][a] for a in range(3)]
            for a in range(3):
                force[a] += d[a] * bodies[j][3] / (dot(d, d) + p["softening"]) ** 1.5
        out[i] = [bodies[i][a] + (speeds[i][a] + force[a] * p["dt"]) * p["dt"] for a in range(3)] + [bodies[i][3]]
    return {"0.2": flat(out)}


def reaction_diffusion(b, p):
    w, h, cells, out = p["w"], p["h"], rows_of(b["0.0"], 2), []
    for y in range(h):
        for x in range(w):
            def around(a, ways):
                return math.fsum(cells[(y + dy) % h * w + (x + dx) % w][a] for dx, dy in ways)
            here = cells[y * w + x]
            spread = [0.2 * around(a, ((-1, 0), (1, 0), (0, -1), (0, 1))) + 0.05 * around(a, ((-1, -1), (1, -1), (-1, 1), (1, 1)))
                      - here[a] for a in range(2)]
            eaten = here[0] * here[1] ** 2
            change = spread[0] - eaten + p["feed"] * (1 - here[0]), 0.5 * spread[1] + eaten - (p["kill"] + p["feed"]) * here[1]
            out += [min(max(v + p["dt"] * c, 0.0), 1.0) for v, c in zip(here, change)]
    return {"0.1": out}


def bilateral(b, p):
    w, h, r, source, out = p["w"], p["h"], p["radius"], b["0.0"], []
    for y in range(h):
        for x in range(w):
            near = [(u, v, source[(y + v) * w + x + u]) for v in range(-r, r + 1) for u in range(-r, r + 1)
                    if 0 <= x + u < w and 0 <= y + v < h]
            weight = [math.exp(-p["space"] * (u * u + v * v) - p["range"] * (s - source[y * w + x]) ** 2) for u, v, s in near]
            out.append(dot(weight, [s for _, _, s in near]) / math.fsum(weight))
    return {"0.1": out}


def layer_norm_backward(b, p):
    out = []
    for x, dy in zip(rows_of(b["0.0"], p["columns"]), rows_of(b["0.1"], p["columns"])):
        mean, variance = moments(x)
        scale = 1 / math.sqrt(variance + p["eps"])
        hat, g = [(v - mean) * scale for v in x], [d * w for d, w in zip(dy, b["0.2"])]
        out += [scale * (d - math.fsum(g) / len(g) - v * dot(g, hat) / len(g)) for d, v in zip(g, hat)]
    return {"0.3": out}


def quantised_matvec(b, p):
    def weights(block):
        return [(q - 8) * block[0] for q in (*(int(v) & 15 for v in block[1:]), *(int(v) >> 4 for v in block[1:]))]
    rows = rows_of(flat(weights(block) for block in rows_of(b["0.0"], 17)), p["columns"])
    return {"0.2": [dot(row, b["0.1"]) for row in rows]}


def quantised_super(b, p):
    """Eight groups of 32 in a block: group j has 6 bits of a scale and of a minimum, the later four in leftovers of the first."""
    def weights(block):
        scales, quants = [int(v) for v in block[2:14]], [int(v) for v in block[14:]]
        for j in range(8):
            if j < 4:
                scale, least = scales[j] % 64, scales[j + 4] % 64
            else:
                scale = scales[j + 4] % 16 + scales[j - 4] // 64 * 16
                least = scales[j + 4] // 16 + scales[j] // 64 * 16
            for q in quants[j // 2 * 32:j // 2 * 32 + 32]:
                yield block[0] * scale * (q // 16 if j % 2 else q % 16) - block[1] * least
    blocks = rows_of(b["0.0"], 142)
    rows = rows_of(flat(weights(block) for block in blocks), 256 * p["blocks"])
    return {"0.2": [dot(row, b["0.1"]) + 0.001 * blocks[k][14 + 10] for k, row in enumerate(rows)]}


def quantised_words(b, p):
    def weights(block):
        return [block[0] * (v - 256 * (v > 127)) + block[1] for v in block[2:]]
    rows = rows_of(flat(weights(block) for block in rows_of(b["0.0"], 34)), 32 * p["blocks"])
    return {"0.2": [dot(row, b["0.1"]) for row in rows]}


def quantised_views(b, p):
    def weights(block):
        quants = [int(v) for v in block[1:]]
        return [block[0] * (q - 8) for q in (*(q % 16 for q in quants), *(q // 16 for q in quants))]
    rows = rows_of(flat(weights(block) for block in rows_of(b["0.0"], 17)), 32 * p["blocks"])
    return {"0.2": [dot(row, b["0.1"]) for row in rows]}


def shared_tree(b, p):
    return {"0.1": [math.fsum(row) for row in rows_of(b["0.0"], 128)]}


def halving_loops(b, p):
    x, out = b["0.0"], []
    for i in range(32):
        y = 0.0
        for s in (32, 16, 8, 4, 2, 1):
            y = y / 2 + x[(i ^ s) % 64]
        out += [math.fsum(x[(i + 2**k) % 64] / 2**k for k in range(6)), y,
                math.fsum(k * x[i * 2**k % 64] for k in range(5)), math.fsum(x[k] for k in range(6) if i >> k & 1)]
    return {"0.1": out}


def float_words(b, p):
    squares = [x * x for x in b["0.0"]]
    pairs = ([0.0 if x > 0.75 else p["gain"] * s, x] for x, s in zip(b["0.0"], squares))
    return {"0.1": flat(pairs), "0.2": [old + math.fsum(squares[k::2]) for k, old in enumerate(b["0.2"])]}


def hlsl_floats(b, p):
    rows = rows_of(b["0.0"], 4)
    return {"0.1": flat([x * y for x, y in zip(row, row[::-1])] for row in rows) + [dot(row, (1, 2, 3, 4)) for row in rows]}


def functions_parts(b, p):
    return {"0.1": flat((math.frexp(x)[0], x / 8) for x in b["0.0"])}


def float_extremes(b, p):
    scaled, old = [1.5 * x for x in b["0.0"]], b["0.1"]
    return {"0.1": [max(old[k], *scaled[k::2]) for k in (0, 1)] + [min(old[2 + k], *scaled[k::2]) for k in (0, 1)]}


def exposure(b, p):
    mean, (old, speed) = sum(int(v * 16) for v in b["0.0"]) / 1024, b["0.1"]
    return {"0.1": [old + (mean - old) * (1 - math.exp(-speed * p["rate"])), speed]}


def clusters(b, p):
    def around(values, k, size):
        return values[k // size * size:k // size * size + size]
    x = b["0.0"]
    y = [dot(around(x, k, 4), around(x, k, 4)) * v - max(around(x, k, 2)) * min(around(x, k, 2))
         + 0.01 * math.prod(u + 2 for u in around(x, k, 8)) + v for k, v in enumerate(x)]
    bits, small = [1 << k % 16 for k in range(len(x))], [k * 7 % 13 for k in range(len(x))]
    return {"0.1": y, "0.2": [sum(around(bits, k, 8)) + min(around(small, k, 4)) for k in range(len(x))]}


def tree_scan(b, p):
    """Each node's sum weighs its left child by 0.9; on the way down the left sum is added as it was."""
    out = []
    for values in rows_of(b["0.0"], 64):
        levels = [values]
        while len(levels[-1]) > 1:
            levels.append([0.9 * levels[-1][k] + levels[-1][k + 1] for k in range(0, len(levels[-1]), 2)])
        down = [0.0]
        for level in reversed(levels[:-1]):
            down = [v for k, above in enumerate(down) for v in (above, above + level[2 * k])]
        out += [v for k in range(0, 64, 2) for v in (down[k], down[k + 1] * down[k])]
    return {"0.1": out}


def lstm(b, p):
    def gates(unit):
        weights = rows_of(b["0.3"], 4)[unit * (p["size"] + p["hidden"]):]
        return [b["0.4"][4 * unit + g] + math.fsum(v * w[g] for v, w in zip(b["0.0"] + b["0.1"], weights)) for g in range(4)]
    hidden, cells = [], []
    for unit in range(p["hidden"]):
        i, f, o, g = gates(unit)
        i, f, o = (1 / (1 + math.exp(-v)) for v in (i, f, o))
        cells.append(f * b["0.2"][unit] + i * math.tanh(g))
        hidden.append(o * math.tanh(cells[-1]))
    return {"0.5": hidden + cells}


def mlp(b, p):
    w = b["0.1"]

    def layer(x, at, outputs):
        bias = at + len(x) * outputs
        return [w[bias + o] + dot(x, w[at + o * len(x):]) for o in range(outputs)]

    def network(x):
        code = [f(x * 2**k) for k in range(4) for f in (math.sin, math.cos)]
        for at, outputs in ((0, 8), (72, 6)):
            code = [max(v, 0.01 * v) for v in layer(code, at, outputs)]
        return 1 / (1 + math.exp(-layer(code, 126, 1)[0]))
    return {"0.2": [network(x) for x in b["0.0"]]}


def hlsl_signed_ids(b, p):
    x = b["0.0"]
    places = [int((i % 16 - 20) / 3) + (i % 16 - 24) * 100 for i in range(32)]
    return {"0.1": [x[i] * x[max(i - 1, 0)] + (i // 16 - 1) * x[31 - i] for i in range(32)], "0.2": places}


def signless_integers(b, p):
    whole = [math.trunc(v) for v in b["0.0"]]
    words = [(n if n >= -5 else math.trunc(n / 3)) + n for n in whole]
    return {"0.1": [(v - n) * 2 * n for v, n in zip(b["0.0"], whole)], "0.2": [n % 2**32 for n in words]}


def specialised_phis(b, p):
    x, size = b["0.0"], 3

    def of(i):
        def add(acc, k):
            return [a + x[k * size + t] * x[i] for t, a in enumerate(acc)]

        def turn(acc):
            for t in range(size - 1):
                acc[t], acc[t + 1] = acc[t + 1], 0.5 * acc[t]
            return acc
        acc = saved = [0.0] * size
        for k in range(p["n"]):
            if k == 1 and i % 3 == 0:
                continue
            acc = add(acc, k)
            if i % 2 == 0:
                acc = turn(acc)
            else:
                saved = list(acc)
            for _ in range(i % 3):
                acc = turn(acc)
            if k == p["most"] and i % 4 == 1:
                break
        if i > 20:
            acc = add(acc, 0)
        return [a + 2 * s for a, s in zip(acc, saved)]
    return {"0.1": flat(of(i) for i in range(32))}


def int_against_uint(b, p):
    """From -1, which is large, there are no trips."""
    x, n, y = b["0.0"], 40, []
    for i, s in enumerate(x):
        for k in [*range(n), *range(0, 12, 5), *range(i, n, 16)]:
            s = s * 0.5 + s * s * x[k]
        y.append(s)
    return {"0.1": y}


def empty_structs(b, p):
    gain, bias = b["0.2"]
    return {"0.1": [gain * v * v + bias * v * v + 0.25 for v in b["0.0"]]}
