"""Known answers by ports: kernels written once more in Python, as textbooks have them, and their gradients by tracked.py."""
import math

from helpers import flat, rows
from tracked import answers_of, cos, exp, log, logsumexp, plain, sin, sqrt, tanh


def pick(values, i, j, width):
    return values[i * width + j]


# --- recurrences ----------------------------------------------------------------------


def waves(d):
    n, old, now = d["n"], d["h0"], d["h0"]
    for _ in range(1, d["steps"]):
        around = [0.0, *now, 0.0]
        new = [2 * u - o + 0.2 * (around[i] - 2 * u + around[i + 2]) - 0.05 * u * u * u for i, (u, o) in enumerate(zip(now, old))]
        old, now = now, new
    return {"y": now[:n]}


wave_ring = answers_of(waves, "h0")


def weighted_keys(d):
    """Each earlier value counts by its key, fading by the step; the present one has a bonus."""
    t, c, y = d["t"], d["c"], []
    for s in range(t):
        for i in range(c):
            weights = [exp(pick(d["k"], r, i, c) - d["w"][i] * (s - 1 - r)) for r in range(s)]
            weights.append(exp(pick(d["k"], s, i, c) + d["u"][i]))
            y.append(sum(w * pick(d["v"], r, i, c) for r, w in enumerate(weights)) / sum(weights))
    return {"y": y}


rwkv = answers_of(weighted_keys, "w", "u", "k", "v")


def comb(d):
    t, y = d["t"], []
    for c, x in enumerate(rows(d["x"], t)):
        ring, depth = [0.0] * d["depth"][c], d["depth"][c]
        for s in range(t):
            v = x[s] + d["g"][c] * ring[s % depth]
            y.append(v * ring[(s + 1) % depth] + ring[s % depth])
            ring[s % depth] = tanh(v)
    return {"y": y}


ring_of_any_depth = answers_of(comb, "x", "g")


def affine(d):
    h, y = 0.0, []
    for a, b in zip(d["a"], d["b"]):
        h = a * h + b
        y.append(h)
    return {"y": y}


scan_by_runs = answers_of(affine, "a", "b")


def resets(d):
    columns = []
    for c in range(d["ch"]):
        h, g, y = 0.0, 1.0, []
        for k in range(d["t"]):
            if d["reset"][k] == 0:
                h, g = 0.0, 1.0
            g = g * d["decay"][c]
            h = tanh(g * h + pick(d["x"], k, c, d["ch"]))
            y.append(h * g)
        columns.append(y)
    return {"y": [columns[c][k] for k in range(d["t"]) for c in range(d["ch"])]}


recurrence_with_resets = answers_of(resets, "x", "decay")


def machine(d):
    y = []
    for tokens, x in zip(rows(d["tok"], d["steps"]), rows(d["x"], d["steps"])):
        state, a, b, g = 0, 1.0, 0.5, d["g"]
        for k, v in zip(tokens, x):
            if state == 0:
                a = a * g[0] + v
                state = {1: 1, 3: 2}.get(k, 0)
            elif state == 1:
                b = tanh(b * v + g[1] * a)
                state = 1 if k == 0 else 2
            elif state == 2:
                a, b = b + g[2], a * v
                state = 3 if k == 2 else 0
            else:
                a = a * (1 + 0.1 * g[3])
                break
        y.append(a * b)
    return {"y": y}


state_machine = answers_of(machine, "x", "g")


def searched(x):
    best = 0.0
    for row in x:
        product = 1.0
        for v in row:
            if v < -0.8:
                continue
            if v > 0.9:
                return best + v * product
            product = product * (1 + v)
            if product > 2:
                best = best + product * v
            if product > 2 or product < 0.1:
                break
        best = 0.9 * best + sin(product)
        if best > 1.8:
            break
        if best >= -1:
            best = best + 0.1 * product
    return best * best


nested_breaks = answers_of(lambda d: {"y": [searched(rows(x, 3)) for x in rows(d["x"], 12)]}, "x")


# --- sums, sorts and transforms -------------------------------------------------------


def sorted_rows(d):
    y = []
    for keys, x in zip(rows(d["key"], 8), rows(d["x"], 8)):
        for i in sorted(range(8), key=lambda i: keys[i]):
            square = x[i] * x[i]
            y.append(square * square * square * square)
    return {"y": y}


radix_sort = answers_of(sorted_rows, "x")


def spectrum(d):
    y = []
    for x in rows(d["x"], 32):
        for k in range(16):
            re = im = 0.0
            for i in range(16):
                c, s = math.cos(math.pi / 8 * i * k), -math.sin(math.pi / 8 * i * k)
                re, im = re + x[2 * i] * c - x[2 * i + 1] * s, im + x[2 * i] * s + x[2 * i + 1] * c
            y.append(re * re + im * im)
    return {"y": y}


fft_radix4 = answers_of(spectrum, "x")


def at(image, i, j, h, w):
    return image[i * w + j] if 0 <= i < h and 0 <= j < w else 0.0


def correlation(d):
    h, w = d["h"], d["w"]
    return {"y": [sum(at(d["x"], i + a - 1, j + b - 1, h, w) * d["g"][3 * a + b] for a in range(3) for b in range(3))
                  for i in range(h) for j in range(w)]}


winograd = answers_of(correlation, "x", "g")


def medians(d):
    h, w = d["h"], d["w"]

    def window(i, j):
        return [d["x"][min(max(i + a, 0), h - 1) * w + min(max(j + b, 0), w - 1)] for a in (-1, 0, 1) for b in (-1, 0, 1)]
    return {"y": [sorted(window(i, j))[4] for i in range(h) for j in range(w)]}


median_network = answers_of(medians, "x")


def pooled(d):
    x, y = d["x"], []
    for i in range(d["n"]):
        best = max(range(2 * i, 2 * i + 3), key=lambda k: x[k])
        y.append(x[best] * x[best] + (x[best - 1] * x[best] if best else 0.0) + 0.1 * x[min(best + 1, 2 * d["n"])])
    return {"y": y}


pool_by_indices = answers_of(pooled, "x")


def k_space(d):
    re, im = [], []
    for p in rows(d["pos"], 3):
        angles = [(2 * math.pi * sum(a * b for a, b in zip(k, p)), k[3]) for k in rows(d["k"], 4)]
        re.append(sum(w * cos(a) for a, w in angles)), im.append(sum(w * sin(a) for a, w in angles))
    return {"qr": re, "qi": im}


mri_q = answers_of(k_space, "pos", "k")


def nibbles(d):
    blocks, y = d["blocks"], []
    for r in range(d["rows"]):
        total = 0.0
        for b in range(blocks):
            for j in range(16):
                byte = d["q"][(r * blocks + b) * 4 + j // 4] >> 8 * (j % 4) & 255
                x = d["x"][32 * b:]
                total = total + d["d"][r * blocks + b] * (((byte & 15) - 8) * x[j] + ((byte >> 4) - 8) * x[16 + j])
        y.append(total)
    return {"y": y}


quantised_rows = answers_of(nibbles, "d", "x")


def shares(d):
    y, n = [], d["n"]
    for x in rows(d["x"], n):
        weights = [exp(v) for v in x]
        p = [w / sum(weights) for w in weights]
        bins = [sum((p[i] for i in range(n) if i * 5 % 8 == k), 0.0) for k in range(8)]
        y += [bins[i % 8] * p[i] for i in range(n)]
    return {"y": y}


one_array_for_all = answers_of(shares, "x")


def tiles(d):
    return {"y": [sqrt(sum(v * v for v in x)) for x in rows(d["x"], 4)]}


tiles_by_counter = answers_of(tiles, "x")


def three_lines(d):
    h, w, x = d["h"], d["w"], d["x"]

    def pixel(i, j):
        m = at(x, i, j, h, w)
        return m * (at(x, i - 1, j, h, w) + at(x, i + 1, j, h, w)) + sin(at(x, i, j - 1, h, w) * at(x, i, j + 1, h, w)) + m * m
    return {"y": [pixel(i, j) for i in range(h) for j in range(w)]}


line_buffer = answers_of(three_lines, "x")


# --- linear algebra -------------------------------------------------------------------


def products(d):
    m, n, k = d["m"], d["n"], d["k"]
    return {"c": [d["alpha"] * sum(d["a"][i * k + q] * d["b"][q * n + j] for q in range(k)) + 0.5 * d["c"][i * n + j]
                  for i in range(m) for j in range(n)]}


gemm_double = answers_of(products, "a", "b", "c", "alpha")


def tridiagonal(d):
    x, n = [], d["n"]
    for a, c, right in zip(rows(d["a"], n), rows(d["c"], n), rows(d["d"], n)):
        upper, y = [c[0] / 1.5], [right[0] / 1.5]
        for i in range(1, n):
            pivot = 1.5 - a[i] * upper[-1]
            upper.append(c[i] / pivot), y.append((right[i] - a[i] * y[-1]) / pivot)
        for i in range(n - 2, -1, -1):
            y[i] = y[i] - upper[i] * y[i + 1]
        x += y
    return {"x": x}


parallel_cyclic_reduction = answers_of(tridiagonal, "a", "c", "d")


def surfer(d):
    n, rank = d["n"], d["p0"]
    for _ in range(5):
        lost = sum((rank[i] for i in range(n) if d["ptr"][i] == d["ptr"][i + 1]), 0.0)
        rank = [(1 - d["d"]) / n + d["d"] * sum((d["w"][e] * rank[d["col"][e]] for e in range(*d["ptr"][i:i + 2])), 0.0) + lost / n
                for i in range(n)]
    return {"y": [r * r for r in rank]}


page_rank = answers_of(surfer, "w", "p0", "d")


def layerwise(d):
    """LAMB: Adam's direction, as long as the weights are; the gradient is cut to length 1 before."""
    norm = sqrt(sum(g * g for g in d["g"]))
    cut = [g * (1 / (norm + 1e-6) if 1 / (norm + 1e-6) < 1 else 1.0) for g in d["g"]]
    m = [0.9 * m + 0.1 * c for m, c in zip(d["m"], cut)]
    v = [0.99 * v + 0.01 * c * c for v, c in zip(d["v"], cut)]
    u = [a / (sqrt(b) + 1e-3) + 0.01 * w for a, b, w in zip(m, v, d["w"])]
    trust = sqrt(sum(w * w for w in d["w"])) / sqrt(sum(x * x for x in u))
    return {"w": [w - d["lr"] * trust * x for w, x in zip(d["w"], u)], "m": m, "v": v}


lamb = answers_of(layerwise, "w", "g", "m", "v", "lr")


# --- paths, trees and dynamic programs ------------------------------------------------


def alignments(d):
    n, m, gap, y = d["n"], d["m"], d["gap"], []
    for score in rows(d["score"], n * m):
        best = [[gap * float(j) for j in range(m + 1)]]
        for i in range(1, n + 1):
            row = [gap * float(i)]
            for j in range(1, m + 1):
                row.append(logsumexp([best[-1][j - 1] + score[(i - 1) * m + j - 1], best[-1][j] + gap, row[-1] + gap]))
            best.append(row)
        y.append(best[n][m])
    return {"y": y}


soft_alignment = answers_of(alignments, "score", "gap")


def transductions(d):
    loss = []
    for b in range(d["batch"]):
        blank, emit = rows(d["blank"][20 * b:20 * b + 20], 4), rows(d["emit"][20 * b:20 * b + 20], 4)
        alpha = {(0, 0): 0.0}
        for t in range(5):
            for u in range(4):
                ways = [alpha[t - 1, u] + blank[t - 1][u]] if t else []
                ways += [alpha[t, u - 1] + emit[t][u - 1]] if u else []
                alpha[t, u] = logsumexp(ways) if ways else 0.0
        t, u = d["frames"][b] - 1, d["labels"][b]
        loss.append(-(alpha[t, u] + blank[t][u]))
    return {"loss": loss}


transducer = answers_of(transductions, "blank", "emit")


def shortest(d):
    y = []
    for w in rows(d["w"], 36):
        dist, prev, left = [0.0] + [math.inf] * 5, [0] * 6, set(range(6))
        while left:
            u = min(left, key=lambda i: plain(dist[i]))
            left.remove(u)
            for v in left:
                if dist[u] + w[6 * u + v] < dist[v]:
                    dist[v], prev[v] = dist[u] + w[6 * u + v], u
        y += [dist[i] * (1 + dist[prev[i]]) for i in range(6)]
    return {"y": y}


dijkstra = answers_of(shortest, "w")


def warped(d):
    y = []
    for a, b in zip(rows(d["a"], 5), rows(d["b"], 5)):
        cost, move = {(0, 0): 0.0}, {}
        for i in range(1, 6):
            for j in range(1, 6):
                ways = [(i - 1, j - 1), (i - 1, j), (i, j - 1)]
                move[i, j] = min(ways, key=lambda p: plain(cost.get(p, 100.0)))
                cost[i, j] = abs(a[i - 1] - b[j - 1]) + cost.get(move[i, j], 100.0)
        place, total = (5, 5), 0.0
        while min(place) > 0:
            e = a[place[0] - 1] - b[place[1] - 1]
            total, place = total + e * e * (1 + 0.1 * cost[place]), move[place]
        y.append(total)
    return {"y": y}


path_traced_back = answers_of(warped, "a", "b")


def tree(d):
    """As the table has it: node 0 multiplies what 1 divides and 2 adds up."""
    leaf = [[x[k] for k in d["left"][3:]] for x in rows(d["x"], 4)]
    return {"y": [a / b * (p + sin(q)) for a, b, p, q in leaf]}


postorder = answers_of(tree, "x")


def american(d):
    price, n = [], d["levels"]
    for spot, vol in zip(d["spot"], d["vol"]):
        dt = 1 / n
        up = exp(vol * math.sqrt(dt))
        p = (math.exp(0.05 * dt) - 1 / up) / (up - 1 / up)

        def exercise(ups, level):
            return 1.03 - spot * exp(vol * math.sqrt(dt) * (2 * ups - level))
        value = [max(exercise(t, n), 0.0) for t in range(n + 1)]
        for level in range(n - 1, -1, -1):
            held = [math.exp(-0.05 * dt) * (p * value[t + 1] + (1 - p) * value[t]) for t in range(level + 1)]
            value = [max(held[t], exercise(t, level)) for t in range(level + 1)]
        price.append(value[0])
    return {"price": price}


american_option = answers_of(american, "spot", "vol")


def simpson(a, lo, hi, depth):
    def f(x):
        return exp(-1 * a * x) * sin(a * x * x)
    x = [lo + (hi - lo) * (k / 4) for k in range(5)]
    y = [f(v) for v in x]
    coarse = (hi - lo) / 6 * (y[0] + 4 * y[2] + y[4])
    fine = (hi - lo) / 12 * (y[0] + 4 * y[1] + 2 * y[2] + 4 * y[3] + y[4])
    if abs(fine - coarse) < 0.001 or depth >= 5:
        return fine + (fine - coarse) / 15
    return simpson(a, lo, x[2], depth + 1) + simpson(a, x[2], hi, depth + 1)


simpson_by_stack = answers_of(lambda d: {"y": [simpson(a, 0.0, hi, 0) for a, hi in zip(d["a"], d["hi"])]}, "a", "hi")


def impulses(d):
    y = []
    for a, r in zip(rows(d["a"], 16), rows(d["r"], 4)):
        push = [0.0] * 4
        for _ in range(8):
            before = push[:]
            for i in range(4):
                new = push[i] - (r[i] + sum(p * q for p, q in zip(a[4 * i:], push))) / 1.5
                bound = d["mu"] * push[i - 1] if i % 2 else math.inf
                push[i] = min(max(new, -bound if i % 2 else 0.0), bound)
            if max(abs(plain(p) - plain(q)) for p, q in zip(push, before)) < 1e-3:
                break
        y += push
    return {"y": y}


contacts = answers_of(impulses, "a", "r", "mu")


def arrivals(d):
    """The eikonal equation by sweeps: what the last sweep leaves."""
    n, out = d["n"], []
    for slow in rows(d["slow"], n * n):
        t = [[10.0] * n for _ in range(n)]
        t[0][0] = 0.1 * slow[0]
        for sweep in range(4):
            for i in list(range(n))[::-1 if sweep % 2 else 1]:
                for j in list(range(n))[::-1 if sweep // 2 else 1]:
                    if i == j == 0:
                        continue
                    a = min([t[k][j] for k in (i - 1, i + 1) if 0 <= k < n] + [10.0])
                    b = min([t[i][k] for k in (j - 1, j + 1) if 0 <= k < n] + [10.0])
                    s = slow[i * n + j]
                    new = 0.5 * (a + b + sqrt(2 * s * s - (a - b) * (a - b))) if abs(a - b) < s else min(a, b) + s
                    t[i][j] = min(t[i][j], new)
        out += flat(t)
    return {"t": out}


fast_sweeping = answers_of(arrivals, "slow")
