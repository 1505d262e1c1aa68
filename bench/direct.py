"""scigv as its definition says, in NumPy: what the row `shapes` is compared with. Outlines and shape contexts are made by
`points`, once for each image; `gram` evaluates the determinant of every pair, the base Gram of both images' points at once.
"""
import numpy

# From which side of a cell to which (0 top, 1 right, 2 bottom, 3 left), by the corners with ink (1, 2, 4, 8: clockwise).
WAYS = {1: [(0, 3)], 2: [(1, 0)], 3: [(1, 3)], 4: [(2, 1)], 5: [(0, 3), (2, 1)], 6: [(2, 0)], 7: [(2, 3)], 8: [(3, 2)],
        9: [(0, 2)], 10: [(1, 0), (3, 2)], 11: [(1, 2)], 12: [(3, 1)], 13: [(0, 1)], 14: [(3, 0)]}


def outline(image, count):
    """`count` points at equal steps along the lines where the ink crosses half of its largest value."""
    ink = numpy.pad(image / image.max(), 1)
    h, w = ink.shape
    flat, dark, following = ink.ravel(), ink >= 0.5, {}
    for i in range(h - 1):
        for j in range(w - 1):
            corners = dark[i, j] + 2 * dark[i, j + 1] + 4 * dark[i + 1, j + 1] + 8 * dark[i + 1, j]
            q = i * w + j
            sides = 2 * q, 2 * (q + 1) + 1, 2 * (q + w), 2 * q + 1
            following.update((sides[a], sides[b]) for a, b in WAYS.get(corners, ()))

    def crossing(edge):
        q, down = divmod(edge, 2)
        part = (0.5 - flat[q]) / (flat[q + (w if down else 1)] - flat[q])
        return q % w + (0 if down else part), q // w + (part if down else 0)
    begin, step = [], []
    for first in sorted(following):
        edge = first
        while edge in following:
            onto = following.pop(edge)
            begin.append(crossing(edge))
            step.append(numpy.subtract(crossing(onto), crossing(edge)))
            edge = onto
    begin, step = numpy.array(begin), numpy.array(step)
    length = numpy.hypot(*step.T)
    upto = numpy.cumsum(length)
    at = (numpy.arange(count) + 0.5) * upto[-1] / count
    k = numpy.searchsorted(upto, at)
    return begin[k] + step[k] * ((at - upto[k] + length[k]) / length[k])[:, None]


def contexts(p, radial, angular, position):
    """Roots of the shape contexts, and places."""
    d = p[None] - p[:, None]
    r, n = numpy.hypot(d[..., 0], d[..., 1]), len(p)
    unit = r.sum() / (n * (n - 1))
    with numpy.errstate(divide="ignore"):
        u = numpy.clip(numpy.log(r / unit / 0.125) / numpy.log(16) * radial - 0.5, 0, radial - 1)
    v = numpy.arctan2(d[..., 1], d[..., 0]) / (2 * numpy.pi) * angular - 0.5
    low, left = numpy.floor(u), numpy.floor(v)
    a, b = u - low, v - left
    bins, rows = numpy.zeros((n, radial + 1, angular)), numpy.arange(n)[:, None] + numpy.zeros((1, n), int)
    others = ~numpy.eye(n, dtype=bool)
    for up, right, share in ((0, 0, (1 - a) * (1 - b)), (0, 1, (1 - a) * b), (1, 0, a * (1 - b)), (1, 1, a * b)):
        place = rows[others], (low + up).astype(int)[others], ((left + right) % angular).astype(int)[others]
        numpy.add.at(bins, place, share[others])
    roots = numpy.sqrt(bins[:, :radial].reshape(n, -1) / (n - 1))
    return numpy.hstack([roots, position * (p - p.mean(0)) / unit])


def points(images, count, radial, angular, position):
    return [contexts(outline(image, count), radial, angular, position) for image in images]


def log_k(x, y, sigma, eta):
    """-log det(I + W^1/2 Kc W^1/2 / eta) on the points of both."""
    f = numpy.vstack([x, y])
    w = numpy.concatenate([numpy.full(len(x), 0.5 / len(x)), numpy.full(len(y), 0.5 / len(y))])
    square = (f * f).sum(1)
    K = numpy.exp((2 * f @ f.T - square[:, None] - square) / (2 * sigma ** 2))
    mean, root = K @ w, numpy.sqrt(w)
    centred = K - mean[:, None] - mean + w @ mean
    return -numpy.linalg.slogdet(numpy.eye(len(w)) + root[:, None] * centred * root / eta)[1]


def gram(sets, sigma, eta):
    """Normalised; half of the pairs, as the other half is the same."""
    n = len(sets)
    L = numpy.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            L[i, j] = L[j, i] = log_k(sets[i], sets[j], sigma, eta)
    own = numpy.diag(L)
    return numpy.exp(L - (own[:, None] + own) / 2)
