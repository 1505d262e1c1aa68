"""The rows of the bench. To add one, write a function here: it is given the data sets and yields Rows.

Its name is what ROWS= says; @row(ask=True) runs only when asked for by name. Everything a row needs stands in it: the data, our
job, the peer's code (a string, as timeit takes it), the limit, and the ratio that the project wants, if any.
"""
import functools
import subprocess
import sys
import tempfile

import numpy
from jobs import (BUILD, HERE, Limit, Row, core, fill, flops, instruction_sets, la, of_gram, our_python, peak, products,
                  python, python_is_built, r, read)
from sets import gamma_of

GAMMA = 0.05   # 1 / (2 sigma^2) with sigma near the median distance of Sets.vectors
EXP = 32       # flops of an exp: 13 products and sums, and bringing the argument into range
ROWS = {}


def row(function=None, ask=False):
    if function is None:
        return lambda f: row(f, ask)
    function.ask = ask
    ROWS[function.__name__] = function
    return function


def gram_flops(rows, columns, p):
    return rows * columns * (2 * p + EXP)


# ---- products and factors of matrices -------------------------------------------------------------------------------------


def la_rows(what, size, work, share, type="double", pair=True, **job):
    """An operation of src/la on one thread, with each instruction set; and, if `pair`, two threads beside one."""
    job["type"] = type
    for instructions in instruction_sets():
        yield Row(f"{what}, {instructions}", size, la(**job, instructions=instructions),
                  limit=peak(work, type, instructions), share=share, threads=1)
    if pair:
        yield Row(f"{what}, 2 threads", size, la(**job), la(**job, who="rkhs, 1 thread", threads=1), peak(work, type),
                  wanted=1.85, threads=2)


@row
def product(sets):
    n, rows, p = sets.rows(1000), sets.rows(20000), 50
    for type in ("double", "single"):
        # In single precision it is one tile, on the thread that asks for it.
        yield from la_rows(f"product, {type}", f"{n}x{n}x{n}", 2 * n ** 3, 0.8, type, pair=type == "double",
                           job="product", m=n, n=n, k=n)
    yield from la_rows("product, narrow", f"{rows}x{p}x{p}", 2 * rows * p * p, 0.6, job="product", m=rows, n=p, k=p)


@row
def tall(sets):
    n, p = sets.rows(100000), 50
    yield from la_rows("tall A'B", f"{n}x{p}x{p}", 2 * n * p * p, 0.6, job="tall", n=n, r=p, k=p)


@row
def cholesky(sets):
    n = sets.rows(4000)
    yield from la_rows("Cholesky", f"{n}x{n}", n ** 3 / 3, 0.75, job="cholesky", n=n)


@row
def triangles(sets):
    """What uses a triangle only: half of A'A, and B L^-T."""
    n, m = sets.rows(20000), sets.rows(1000)
    yield from la_rows("syrk, A'A", f"{n}x{m}", n * m * m, None, pair=False, job="syrk", n=n, m=m)
    yield from la_rows("trsm, B L^-T", f"{n}x{m}", n * m * m, None, pair=False, job="trsm", m=n, n=m)


# ---- Grams --------------------------------------------------------------------------------------------------------------


@row
def gram(sets):
    n, p = sets.rows(5000), 50
    x = sets.vectors(n, p)
    ours, limit = core("gram", kernel=f"rbf(gamma={GAMMA})", x=x), flops(gram_flops(n, n / 2, p), "flops: half of X X', exp")
    setup = f"import numpy; from sklearn.metrics.pairwise import rbf_kernel; x = numpy.load({x!r})"
    yield Row("rbf Gram", f"{n}x{p}", ours,
              python("scikit-learn", "python3-sklearn", setup, f"rbf_kernel(x, gamma={GAMMA})", f"rbf_kernel(x[:256], gamma={GAMMA})"),
              limit, compare="values")
    numbers = f"library(kernlab); x <- matrix(readBin({x + '.raw'!r}, 'double', {n * p}), {n}, {p}, byrow=TRUE)"
    write_raw(x)
    yield Row("rbf Gram", f"{n}x{p}", ours, r("kernlab", "r-cran-kernlab", numbers, f"kernelMatrix(rbfdot(sigma={GAMMA}), x)",
                                              f"kernelMatrix(rbfdot(sigma={GAMMA}), x[1:20,])"), limit, repeats=3)


def write_raw(path):
    """The numbers of an NPY file alone, for R."""
    numpy.load(path).tofile(path + ".raw")


SCIPY_RBF = """
import numpy
from scipy import sparse
def gram(x, gamma):
    K = (x @ x.T).toarray()
    q = gamma * numpy.asarray(x.multiply(x).sum(1)).ravel()
    K *= 2 * gamma
    K -= q[:, None]
    K -= q
    return numpy.exp(K, out=K)
x = sparse.load_npz({x!r})
"""


def sparse_rows(what, size, x, n, gamma):
    for threads in (1, None):
        yield Row(what, size, core("gram", kernel=f"rbf(gamma={gamma})", x=x),
                  python("scipy", "python3-scipy", SCIPY_RBF.format(x=x), f"gram(x, {gamma})", f"gram(x[:256], {gamma})"),
                  fill(8 * n * n, "bytes: fill K"), wanted=1 / 1.5, threads=threads, compare="values")


@row
def sparse(sets):
    n, p = sets.rows(2000), 20000
    yield from sparse_rows("sparse rbf Gram, even", f"{n}x{p}, .5%", sets.sparse(n, p, 0.005), n, GAMMA)


@row
def text(sets):
    n, p = sets.rows(4000), 30000
    yield from sparse_rows("sparse rbf Gram, text", f"{n}x{p}", sets.text(n, p), n, 0.5)


RELU = """
def relu(x):
    q = numpy.sqrt((x * x).sum(1))
    qq = numpy.outer(q, q)
    u = (x @ x.T / qq).clip(-1, 1)
    return qq * (u * (numpy.pi - numpy.arccos(u)) + numpy.sqrt(1 - u * u)) / numpy.pi
"""
SKLEARN_PAIRWISE = "from sklearn.metrics.pairwise import "
# Kernels beside the faster of scikit-learn's function and a line or two of NumPy: name, spec, set-up, code, and the flops of a
# pair, or None for a product of matrices.
PAIRWISE = (
    ("chi2", "chi2(gamma=0.002)", SKLEARN_PAIRWISE + "chi2_kernel", "chi2_kernel({x}, gamma=0.002)", lambda p: 6 * p + EXP),
    ("laplacian", "laplacian(gamma=0.02)", SKLEARN_PAIRWISE + "laplacian_kernel", "laplacian_kernel({x}, gamma=0.02)",
     lambda p: 3 * p + EXP),
    ("cosine", "cosine", "def unit(x): return x / numpy.sqrt((x * x).sum(1))[:, None]", "(lambda u: u @ u.T)(unit({x}))", None),
    ("poly", "poly(degree=3, gamma=0.02, coef0=1)", "def cube(u): return u * u * u", "cube(0.02 * ({x} @ {x}.T) + 1)", None),
    ("relu", "relu", RELU, "relu({x})", None),
)


@row
def pairwise(sets):
    for n, p in ((sets.rows(3000), 50), (sets.rows(1000), 784)):
        for name, spec, setup, code, work in PAIRWISE:
            x = sets.counts(n, p) if name == "chi2" else sets.vectors(n, p)
            who, package = ("scikit-learn", "python3-sklearn") if "sklearn" in setup else ("numpy", "python3-numpy")
            if work is None and p < 100:
                limit = fill(8 * n * n, "bytes: fill K")  # takes longer than the product
            elif work is None:
                limit = flops(n * n * p, "flops: half of X X'")
            else:
                limit = flops(n * n / 2 * work(p), "flops: half of K")
            yield Row(f"{name} Gram", f"{n}x{p}", core("gram", kernel=spec, x=x),
                      python(who, package, f"import numpy\n{setup}\nx = numpy.load({x!r})", code.format(x="x"),
                             code.format(x="x[:256]")),
                      limit, wanted=2.0, compare="values", repeats=3 if work else None, peer_repeats=1 if name == "chi2" else None)


@row
def tanimoto(sets):
    n, bits = sets.rows(2305), 1024
    x = sets.bits(n, bits)
    setup = f"import numpy; from scipy.spatial.distance import pdist, squareform; x = numpy.load({x!r})"
    yield Row("tanimoto Gram", f"{n}x{bits} bits", core("gram", kernel="tanimoto", x=x + ".fps"),
              python("scipy, 1 - pdist", "python3-scipy", setup, "1 - squareform(pdist(x, 'jaccard'))",
                     "1 - squareform(pdist(x[:256], 'jaccard'))"),
              fill(8 * n * n, "bytes: fill K"), wanted=20.0, compare="values", repeats=3)


# ---- strings ------------------------------------------------------------------------------------------------------------


def string_row(sets, what, kernel, stringdot, rows, few, length, letters, limit, wanted, end=""):
    """kernlab has one thread, and gets `few` of the strings: the ratio is that of one pair."""
    def pairs(count):
        return count * (count + 1) / 2
    x, plain = sets.strings(rows, length, letters, end), sets.strings(rows, length, letters)
    setup = f"library(kernlab); x <- as.list(readLines({plain!r}, n={few})); k <- stringdot({stringdot}, normalized=TRUE)"
    return Row(what, f"{rows} (peer {few}) of {length}", core("gram", kernel=kernel, x=x),
               r("kernlab", "r-cran-kernlab", setup, "kernelMatrix(k, x)", "kernelMatrix(k, lapply(x[1:2], substr, 1, 20))"),
               limit, wanted=wanted, threads=1, times=pairs(rows) / pairs(few), compare="values", repeats=3)


@row
def ssk(sets):
    rows, length, p = sets.rows(100), 500 if sets.scale == 1 else 50, 4
    work = rows * (rows + 1) / 2 * length ** 2 * 4 * (p - 1)
    yield string_row(sets, "ssk p=4 Gram", f"ssk(p={p}, lambda=0.5)", f"type='sequence', length={p}, lambda=0.5", rows, 3,
                     length, 20, flops(work, "flops: 2 (p-1) fma a cell"), 60.0)


@row
def spectrum(sets):
    """kernlab puts a newline after each string and counts it: ours gets a sign there too."""
    rows, length, p = sets.rows(500), 500, 4
    yield string_row(sets, "spectrum p=4 Gram", f"spectrum(p={p})", f"type='spectrum', length={p}", rows, min(rows, 100),
                     length, 20, fill(8 * rows * rows, "bytes: fill K"), 5.0, end=".")


# ---- graphs -------------------------------------------------------------------------------------------------------------


@row
def wl(sets):
    """Beside the product of sparse rows that it is, of colours that are known: relabelling is ours alone."""
    n, rounds = sets.rows(4000), 5
    x = sets.molecules(n, rounds)
    setup = f"from scipy import sparse; x = sparse.load_npz({x + '.npz'!r})\ndef gram(x): return (x @ x.T).toarray()"
    for threads in (1, None):
        yield Row("wl h=5 Gram", f"{n} graphs", core("gram", kernel=f"wl(h={rounds}, normalize=false)", x=x),
                  python("scipy, the product alone", "python3-scipy", setup, "gram(x)", "gram(x[:256])"),
                  fill(8 * n * n, "bytes: fill K"), wanted=0.1, threads=threads, compare="values", repeats=5)


# ---- images -------------------------------------------------------------------------------------------------------------


@row
def shapes(sets):
    """The peer gets few of the images, and their shape contexts as a gift: the ratio is that of one pair."""
    rows, few, p, bins = sets.rows(500), min(sets.rows(500), 25), 40, (5, 12)
    x = sets.drawings(rows)
    spec = f"scigv(eta=0.02, points={p}, bins=[{bins[0]},{bins[1]}], sigma=0.3, position=0.2)"
    setup = f"import sys, numpy; sys.path.insert(0, {str(HERE)!r}); import direct\n" \
            f"x = direct.points(numpy.load({x!r})[:{few}], {p}, {bins[0]}, {bins[1]}, 0.2)"
    pairs = rows * (rows + 1) / 2
    work = pairs * p ** 2 * (2 * bins[0] * bins[1] + EXP + 10 / 3 * p)
    yield Row("scigv Gram", f"{rows} (peer {few}) images", core("gram", kernel=spec, x=x),
              python("numpy, by the formula", "python3-numpy", setup, "direct.gram(x, 0.3, 0.02)", "direct.gram(x[:2], 0.3, 0.02)"),
              flops(work, "flops: cross Gram, exp, 10/3 p^3"), wanted=20.0, times=pairs / (few * (few + 1) / 2),
              compare="values", repeats=3)


# ---- models -------------------------------------------------------------------------------------------------------------

SKLEARN_KPCA = """
import numpy
from sklearn.decomposition import KernelPCA
x = numpy.load({x!r})
def new():
    return KernelPCA(2, kernel="rbf", gamma={gamma}, eigen_solver={solver!r}, tol={tol}, random_state=0)
"""
# max over components of |Kc u - l u| / l, with u the scores at length one and l their Rayleigh quotient.
RESIDUALS = """
import numpy, sys
from sklearn.metrics.pairwise import rbf_kernel
K = rbf_kernel(numpy.load(sys.argv[1]), gamma=float(sys.argv[2]))
for path in sys.argv[3:]:
    found = []
    for z in numpy.load(path).T:
        u = z / numpy.linalg.norm(z)
        v = K @ (u - u.mean())
        v -= v.mean()
        found.append(numpy.linalg.norm(v - (u @ v) * u) / (u @ v))
    print(f"{max(found):.1e}")
"""


def residuals(x, solver):
    """A sentence on how exact both are: a solver that stops early is fast for nothing."""
    def note(ours, peer):
        if not peer:
            return None
        command = [sys.executable, "-c", RESIDUALS, x, str(GAMMA), ours, peer]
        found = subprocess.run(command, capture_output=True, text=True).stdout.split()
        return f"residuals |Kc u - l u| / l: ours {found[0]}, {solver} {found[1]}" if len(found) == 2 else None
    return note


def kpca_rows(sets, solvers, repeats=None):
    n, p = sets.rows(5000), 50
    x = sets.vectors(n, p)
    for solver, tol in solvers:
        setup = SKLEARN_KPCA.format(x=x, gamma=GAMMA, solver=solver, tol=tol)
        who = f"scikit-learn, {solver}" + (f", tol {tol:g}" if tol else "")
        yield Row("kpca fit, 2 of", f"{n}x{p}", core("fit", kernel=f"rbf(gamma={GAMMA})", model="kpca(dim=2)", x=x),
                  python(who, "python3-sklearn", setup, "new().fit_transform(x)", "new().fit_transform(x[:256])"),
                  flops(gram_flops(n, n / 2, p), "flops: the Gram alone"), compare="signs", repeats=repeats,
                  note=residuals(x, solver))


@row
def kpca(sets):
    yield from kpca_rows(sets, (("arpack", 0.0), ("arpack", 1e-8), ("randomized", 0.0)))


@row(ask=True)
def kpca_dense(sets):
    """Slow: scikit-learn's default for small data, at the same size."""
    yield from kpca_rows(sets, (("dense", 0.0),), repeats=1)


@row(ask=True)
def kpca_large(sets):
    """The memory of a fit: one Gram, 3.2 GB."""
    n, p = sets.rows(20000), 50
    yield Row("kpca fit, 2 of", f"{n}x{p}", core("fit", kernel=f"rbf(gamma={GAMMA})", model="kpca(dim=2)", x=sets.vectors(n, p)),
              limit=flops(gram_flops(n, n / 2, p), "flops: the Gram alone"), repeats=1)


@row
def transform(sets):
    n, new, p = sets.rows(2000), sets.rows(100000), 50
    x, fresh = sets.vectors(n, p, 5), sets.vectors(new, p, 6)
    setup = SKLEARN_KPCA.format(x=x, gamma=GAMMA, solver="arpack", tol=0.0) + f"m = new().fit(x); fresh = numpy.load({fresh!r})"
    yield Row("kpca transform", f"{new} on {n}x{p}",
              core("transform", kernel=f"rbf(gamma={GAMMA})", model="kpca(dim=2)", x=x, new=fresh),
              python("scikit-learn", "python3-sklearn", setup, "m.transform(fresh)", "m.transform(fresh[:256])"),
              flops(gram_flops(n, new, p), "flops: X D', exp"), compare="signs")


@row
def nystrom(sets):
    n, p, m = sets.rows(20000), 50, min(500, sets.rows(20000))
    x = sets.vectors(n, p)
    setup = (f"import numpy; from sklearn.decomposition import PCA; from sklearn.kernel_approximation import Nystroem\n"
             f"x = numpy.load({x!r})\n"
             f"def fit(x):\n"
             f"    features = Nystroem(gamma={GAMMA}, n_components=min({m}, len(x)), random_state=0).fit_transform(x)\n"
             f"    return PCA(2, svd_solver='randomized', random_state=0).fit_transform(features)")
    for by in ("uniform", "rpcholesky"):
        yield Row(f"kpca nystrom {by}, 2 of", f"{n}x{p}, m={m}",
                  core("fit", kernel=f"rbf(gamma={GAMMA})", model=f"kpca(dim=2, gram=nystrom(landmarks={m}, by={by}))", x=x),
                  python("scikit-learn, Nystroem (uniform) + PCA", "python3-sklearn", setup, "fit(x)", "fit(x[:600])"),
                  flops(gram_flops(n, m, p) + n * m * m, "flops: K_nm, K_nm L^-T"))


@row
def krr(sets):
    n, p = sets.rows(5000), 50
    x, y = sets.vectors(n, p), sets.targets(n)
    setup = (f"import numpy; from sklearn.kernel_ridge import KernelRidge; x, y = numpy.load({x!r}), numpy.load({y!r})\n"
             f"def new(): return KernelRidge(kernel='rbf', gamma={GAMMA}, alpha=1)")
    for threads in (1, None):
        yield Row("krr fit", f"{n}x{p}", core("fit", kernel=f"rbf(gamma={GAMMA})", model="krr(ridge=1)", x=x, y=y),
                  python("scikit-learn", "python3-sklearn", setup, "new().fit(x, y)", "new().fit(x[:256], y[:256])"),
                  flops(n ** 3 / 3 + gram_flops(n, n / 2, p), "flops: n^3/3, the Gram"), wanted=1.3, threads=threads)


TKE = """
import numpy
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
x = numpy.load({x!r})
def fit(x, iterations):
    n, d, k = len(x), 2, min(13, len(x) - 1)
    K = numpy.exp(-{gamma} * cdist(x, x, "sqeuclidean"))
    F = numpy.zeros_like(K)
    near = numpy.argpartition(-K, k, 1)[:, :k + 1]
    numpy.put_along_axis(F, near, numpy.take_along_axis(K, near, 1), 1)
    S = (F + F.T) / 2
    def loss(v):
        Z, g = v[:-1].reshape(n, d), numpy.exp(v[-1])
        q = (Z * Z).sum(1)
        D = q[:, None] + q - 2 * Z @ Z.T
        kx = numpy.exp(-g * D)
        P = (0.04 * kx - S) * kx
        dZ = -4 * g * (P.sum(1)[:, None] * Z - P @ Z) + 0.002 * Z
        return -(kx * S).sum() + 0.02 * (kx * kx).sum() + 0.001 * q.sum(), numpy.append(dZ, -g * (P * D).sum())
    start = numpy.append(numpy.random.default_rng(0).standard_normal(n * d), 0)
    return minimize(loss, start, jac=True, method="L-BFGS-B", options=dict(maxiter=iterations, ftol=0, gtol=0)).x
"""


@row
def tke(sets):
    n, p, steps, few = sets.rows(2000), 50, 300, 30
    x, fresh, k = sets.vectors(n, p), sets.vectors(sets.rows(1000), p, 8), min(13, n - 1)
    spec = f"tke(neighbours={k}, repulsion=0.02, embedding_kernel=rbf, attraction=product, weights=kernel, start=random, solver=lbfgs(max_iter={{}}, ftol=0, tol=0))"
    yield Row("tke fit, 2-D", f"{n}x{p}, {steps} (peer {few}) steps",
              core("fit", kernel=f"rbf(gamma={GAMMA})", model=spec.format(steps), x=x),
              python("scipy, numpy", "python3-scipy", TKE.format(x=x, gamma=GAMMA), f"fit(x, {few}) is None", "fit(x[:64], 2)"),
              flops(steps * n * n / 2 * (EXP + 13), "flops: half of the pairs"), wanted=10.0, times=steps / few, repeats=3,
              peer_repeats=1)
    yield Row("tke, new objects", f"{sets.rows(1000)} on {n}x{p}",
              core("transform", kernel=f"rbf(gamma={GAMMA})", model=spec.format(20), x=x, new=fresh),
              limit=flops(sets.rows(1000) * n * (k + 10) * (EXP + 8), "flops: k + 10 sums a row"), beyond=1.0, repeats=3)


THEOREM_3 = """
import numpy
from scipy.spatial.distance import cdist
x = numpy.load({x!r})
def fit(x):
    n = len(x) // 3
    a, p, q = x[:n], x[n:2 * n], x[2 * n:3 * n]
    def kernel(x, y): return numpy.exp(-{gamma} * cdist(x, y, "sqeuclidean"))
    K, K_minus, K_plus = kernel(a, a), kernel(a, q), kernel(a, p)
    K3, K_minus_plus = K_minus - K_plus, kernel(q, p)
    K_delta = kernel(q, q) + kernel(p, p) - K_minus_plus - K_minus_plus.T
    K1 = numpy.block([[K, K3], [K3.T, K_delta]])
    B = numpy.vstack([K3, K_delta]) @ numpy.hstack([K, K3])
    w, V = numpy.linalg.eigh(K1)
    keep = w > 1e-12 * w[-1]
    root = V[:, keep] / numpy.sqrt(w[keep]) @ V[:, keep].T
    A = root @ numpy.linalg.eigh(root @ (-(B + B.T) / 2) @ root)[1][:, :-3:-1]
    return kernel(x, a) @ A[:n] + (kernel(x, q) - kernel(x, p)) @ A[n:]
"""


@row
def contrastive(sets):
    n, p = sets.rows(2000), 50
    x, t = sets.vectors(3 * n, p), sets.triplets(n)
    yield Row("contrastive fit, 2-D", f"{n} triplets, {3 * n}x{p}",
              core("fit", kernel=f"rbf(gamma={GAMMA})", model="contrastive(dim=2)", x=x, triplets=t),
              python("numpy, Theorem 3 as printed", "python3-scipy", THEOREM_3.format(x=x, gamma=GAMMA), "fit(x)", "fit(x[:300])"),
              flops(gram_flops(3 * n, 3 * n / 2, p), "flops: the Gram alone"), wanted=20.0, compare="signs",
              repeats=3, peer_repeats=1)


GPLVM = """
import numpy
from scipy.optimize import minimize
x = numpy.load({x!r})
def fit(x, iterations):
    n, D, d = len(x), x.shape[1], 2
    x = x - x.mean(0)
    S = x @ x.T
    S *= n * D / numpy.trace(S)
    def loss(v):
        Z, (width, variance, noise) = v[:-3].reshape(n, d), numpy.exp(v[-3:])
        q = (Z * Z).sum(1)
        squares = q[:, None] + q - 2 * Z @ Z.T
        rbf = variance * numpy.exp(squares * (-0.5 / width ** 2))
        K = rbf + noise * numpy.eye(n)
        inverse = numpy.linalg.inv(K)
        product = inverse @ S
        f = D / 2 * numpy.linalg.slogdet(K)[1] + numpy.trace(product) / 2 + q.sum() / 2
        G = (D * inverse - product @ inverse) / 2
        P = G * rbf
        dZ = -2 / width ** 2 * (P.sum(1)[:, None] * Z - P @ Z) + Z
        return f, numpy.append(dZ, [(P * squares).sum() / width ** 2, P.sum(), numpy.trace(G) * noise])
    start = numpy.append(numpy.random.default_rng(0).standard_normal(n * d), numpy.log([2, 0.9, 0.1]))
    return minimize(loss, start, jac=True, method="L-BFGS-B", options=dict(maxiter=iterations, ftol=0, gtol=0)).x
"""


@row
def gplvm(sets):
    n, p, steps, few = sets.rows(500), 784, 40, 20  # after some 60 it is at the minimum, and only tries
    x = sets.vectors(n, p)
    yield Row("gplvm fit, 2-D", f"{n}x{p}, {steps} (peer {few}) steps",
              core("fit", kernel="linear", model=f"gplvm(start=random, solver=lbfgs(max_iter={steps}, ftol=0, tol=0))", x=x),
              python("numpy, scipy", "python3-scipy", GPLVM.format(x=x), f"fit(x, {few}) is None", "fit(x[:64], 2)"),
              flops(steps * 3 * n ** 3, "flops: 3 n^3 a step"), wanted=3.0, times=steps / few, repeats=3, peer_repeats=1)


KAE = """
import numpy, torch
x = torch.tensor(numpy.load({x!r}))
def rbf(a, gamma):
    q = (a * a).sum(1)
    return torch.exp(-gamma * (q[:, None] + q - 2 * a @ a.T))
def fit(x, dim, steps, ridge=0.1):
    n = len(x)
    one = torch.eye(n, dtype=x.dtype)
    back = torch.linalg.inv(rbf(x, {gamma}))
    v = torch.randn(n, dim, dtype=x.dtype, generator=torch.Generator().manual_seed(0)).requires_grad_()
    for _ in range(steps):
        z = v / v.norm(dim=1, keepdim=True)
        K = rbf(z, 0.5)
        Q = K @ torch.linalg.inv(K + ridge * one) @ x
        loss = ((Q - x) ** 2).sum() + ridge * ((z * (back @ z)).sum() + (Q * (torch.linalg.inv(K) @ Q)).sum())
        loss.backward()
        with torch.no_grad():
            v -= 1e-4 * v.grad
            v.grad = None
    return v
"""


@row
def kae(sets):
    n, p, dim, steps, few = sets.rows(500), 784, 10, 100, 5
    x, gamma = sets.vectors(n, p), GAMMA * 50 / p
    dim = min(dim, n)
    yield Row(f"kae fit, {dim}-D", f"{n}x{p}, {steps} (peer {few}) steps",
              core("fit", kernel=f"rbf(gamma={gamma})", model=f"kae(dim={dim}, embedding_kernel=\"rbf(gamma=0.5)\", "
                   f"solver=lbfgs(max_iter={steps}, ftol=0, tol=0))", x=x),
              python("PyTorch", "python3-torch", KAE.format(x=x, gamma=gamma), f"fit(x, {dim}, {few}) is None",
                     "fit(x[:64], 2, 2)"),
              flops(steps * 3 * n ** 3, "flops: 3 n^3 a step"), wanted=5.0, times=steps / few, repeats=3, peer_repeats=1)


KE = """
import numpy, torch
torch.set_num_threads(int(threads))
x = torch.from_numpy(numpy.load({x!r}))
G = torch.exp(-{gamma} * torch.cdist(x, x) ** 2)
def steps(G, width, count):
    torch.set_flush_denormal(True)  # or a narrow kernel would slow the peer down by five
    n = len(G)
    b, eye = torch.full((n,), 0.01, dtype=G.dtype), torch.eye(n, dtype=G.dtype)
    a = torch.randn(n, 2, dtype=G.dtype, generator=torch.Generator().manual_seed(0)).requires_grad_()
    descent = torch.optim.Adam([a], lr=0.01)
    for _ in range(count):
        Y = G @ a
        Z = Y - Y.mean(0)
        Z = Z / Z.square().mean().sqrt()
        q = (Z * Z).sum(1)
        H = torch.exp((q[:, None] + q - 2 * Z @ Z.T).clamp(min=0) * (-0.5 / width ** 2))
        W = H * (1 - eye) * b
        R = W @ H
        descent.zero_grad()
        torch.trace(H - 2 * R + R @ W.T).backward()
        descent.step()
    return a.detach().numpy()
"""


def ke_row(sets, what, n, width, wanted, steps, few):
    """Steps alone: what the weights, the Gram and the start take is taken off."""
    x, spec = sets.vectors(n, 50), f"ke(alignment=0, restarts=1, width={width}, start=random, solver=adam(learning_rate=0.01, max_iter={{}}))"
    return Row(what, f"{n}x50, {steps} (peer {few}) steps",
               core("fit", kernel=f"rbf(gamma={GAMMA})", model=spec.format(steps + 1), less=spec.format(1), x=x),
               python("PyTorch, autograd", "python3-torch", KE.format(x=x, gamma=GAMMA), f"steps(G, {width}, {few}) is None",
                      "steps(G[:64, :64], 1, 1)"),
               flops(steps * 2 * n ** 3, "flops: 2 n^3 a step"), wanted=wanted, times=steps / few, repeats=3, peer_repeats=1, threads=1)


@row
def ke(sets):
    yield ke_row(sets, "ke steps, exact", sets.rows(2000), 0.3, 4.0, 10, 2)
    yield ke_row(sets, "ke steps, wide", sets.rows(4000), 1, 15.0, 10, 1)
    yield ke_row(sets, "ke steps, narrow", sets.rows(4000), 0.05, 15.0, 10, 1)


# ---- many objects -------------------------------------------------------------------------------------------------------


@row
def lazy(sets):
    """A fit without a stored Gram; and one product with K, of as many columns as lanczos takes, beside n^2 values."""
    n, few, p, columns = sets.rows(50000), sets.rows(5000), 20, 4
    x, kernel = sets.vectors(n, p), f"rbf(gamma={GAMMA})"
    yield Row("kpca lazy fit, 2 of", f"{n}x{p}", core("fit", kernel=kernel, model="kpca(dim=2, gram=lazy)", x=x),
              limit=flops(gram_flops(n, n, p), "flops: the Gram once"), memory_mb=300, repeats=1)
    values = core("gram", kernel=kernel, x=sets.vectors(few, p), new=sets.vectors(few, p, 7))
    yield Row(f"lazy product, {columns} columns", f"{n}x{p}",
              of_gram("product", gram="lazy", columns=columns, kernel=kernel, x=x),
              limit=Limit("values: n^2 of a Gram", values, (n / few) ** 2), share=1 / 1.3, repeats=3)


SKLEARN_NYSTROEM = """
import numpy
from sklearn.decomposition import IncrementalPCA
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
x = numpy.load({x!r})
def parts_of(x):
    features, pca = Nystroem(gamma={gamma}, n_components=min({m}, len(x)), random_state=0), IncrementalPCA(2)
    return features, pca
def fit(x):
    return make_pipeline(*parts_of(x)).fit_transform(x)
def fit_by_parts(x):
    features, pca = parts_of(x)
    features.fit(x)
    parts = [x[i:i + 10000] for i in range(0, len(x), 10000)]
    for part in parts:
        pca.partial_fit(features.transform(part))
    return numpy.vstack([pca.transform(features.transform(part)) for part in parts])
"""


@row(ask=True)
def nystrom_million(sets):
    """The peer gets a tenth of the million rows: its time grows with their number. It is a pipeline, as most would write
    it, which holds all features; and by parts, which needs a loop of one's own and less memory."""
    few, p, m = sets.rows(100000), 28, min(1000, sets.rows(100000))
    setup = SKLEARN_NYSTROEM.format(x=sets.vectors(few, p), gamma=GAMMA, m=m)
    spec = f"kpca(dim=2, gram=nystrom(landmarks={m}))"
    for n, how in ((few, "fit"), (sets.rows(1000000), "fit"), (few, "fit_by_parts")):
        yield Row("kpca nystrom fit, 2 of", f"{n}x{p}, m={m}" + (f" (peer {few})" if n > few else ""),
                  core("fit", kernel=f"rbf(gamma={GAMMA})", model=spec, x=sets.vectors(n, p)),
                  python("scikit-learn, Nystroem (uniform) + IncrementalPCA" + (", by parts" if how != "fit" else ""),
                         "python3-sklearn", setup, f"{how}(x)", f"{how}(x[:2000])"),
                  products(2 * gram_flops(n, m, p) + 2 * n * m * m, "flops, as a product: K_nm and K_nm L^-T, twice"),
                  wanted=3.0, share=1 / 1.5, memory=0.1 if how == "fit" else None, times=n / few, count=n,
                  slope=1.05 if n > few else None, repeats=3, peer_repeats=1)


RBF_SAMPLER = """
import numpy
from sklearn.kernel_approximation import RBFSampler
x = numpy.load({x!r})
def features(x, seed):
    return RBFSampler(gamma={gamma}, n_components={m}, random_state=seed).fit_transform(x)
"""


def found_by(job):
    """What a job finds, one number for each seed."""
    with tempfile.TemporaryDirectory(prefix="rkhs-bench-") as folder:
        out = f"{folder}/found.npy"
        subprocess.run([str(word) for word in job.command(0, out, BUILD)], check=True, capture_output=True)
        return numpy.load(out)


def mean_and_deviation(values):
    return f"{numpy.mean(values):.3g} +- {numpy.std(values, ddof=1):.1g}"


def errors_of_features(x, gamma, independent):
    """A sentence on the error of K. independent: the job of independent features."""
    def note(ours, peer):
        x64 = numpy.load(x)
        square = gamma * (x64 * x64).sum(1)
        K = numpy.exp(2 * gamma * x64 @ x64.T - square[:, None] - square)
        errors = {"orthogonal": numpy.load(ours), "independent": found_by(independent)}
        if peer:
            errors["RBFSampler"] = [numpy.linalg.norm(K - F @ F.T) / numpy.linalg.norm(K) for F in numpy.load(peer)]
        words = [f"{name} {mean_and_deviation(found)}" for name, found in errors.items()]
        return "|K - Phi Phi'| / |K|: " + ", ".join(words)
    return note


@row
def features(sets):
    n, few, p, m, seeds = sets.rows(50000), sets.rows(1000), 28, 2000, 8
    x = sets.vectors(n, p)
    setup = RBF_SAMPLER.format(x=x, gamma=GAMMA, m=m) + (
        "from sklearn.decomposition import PCA\n"
        "def fit(x): return PCA(2, svd_solver='randomized', random_state=0).fit_transform(features(x, 0))")
    yield Row("kpca features fit, 2 of", f"{n}x{p}, m={m}",
              core("fit", kernel=f"rbf(gamma={GAMMA})", model=f"kpca(dim=2, gram=features(count={m}))", x=x),
              python("scikit-learn, RBFSampler + PCA", "python3-sklearn", setup, "fit(x)", "fit(x[:256])"),
              flops(n * m * (p + EXP + m), "flops: X W', cos and sin, half of Phi'Phi"), wanted=2.0, repeats=3)
    generated = {"vectors": sets.vectors(few, p), "mixture": sets.mixture(few, p), "rare groups": sets.rare(few, p)}
    for name, x in generated.items():
        gamma = gamma_of(x)
        job = functools.partial(of_gram, "features", kernel=f"rbf(gamma={gamma})", x=x, calls=seeds)
        yield Row(f"features, {name}", f"{few}x{p}, m={m}, {seeds} seeds", job(gram=f"features(count={m})"),
                  python("scikit-learn, RBFSampler", "python3-sklearn", RBF_SAMPLER.format(x=x, gamma=gamma, m=m),
                         f"[features(x, seed) for seed in range({seeds})]", "features(x[:256], 0)", calls=seeds,
                         once=True),
                  flops(few * m * (p + EXP), "flops: X W', cos and sin"), repeats=3,
                  note=errors_of_features(x, gamma, job(gram=f"features(count={m}, orthogonal=no)")))


def residuals_of_landmarks(ours, peer):
    return (f"tr(K - Phi Phi') / tr K: landmarks of a sample {mean_and_deviation(numpy.load(ours))}, "
            f"of all rows {mean_and_deviation(numpy.load(peer))}")


@row(ask=True)
def landmark_sample(sets):
    """What landmarks lose that are chosen among a sample of rows, beside those chosen among all."""
    n, m, seeds = sets.rows(60000), min(500, sets.rows(60000)), 5
    for name, x in (("mixture", sets.mixture(n, 28)), ("rare groups", sets.rare(n, 28)), ("MNIST", sets.mnist(n))):
        if not x:
            print("  landmark_sample: MNIST is left out: DATA names no folder with mnist/train-images-idx3-ubyte.gz",
                  file=sys.stderr)
            continue
        p, looked_at = numpy.load(x, mmap_mode="r").shape[1], min(n, max(10000, 10 * m))  # as rk_sample_rows
        job = functools.partial(of_gram, "landmarks", landmarks=m, kernel=f"rbf(gamma={gamma_of(x)})", x=x, calls=seeds)
        yield Row(f"landmarks, {name}", f"{n}x{p}, m={m}, {seeds} seeds", job(among="sample"),
                  job(among="all", who="rkhs, all rows"),
                  flops(gram_flops(looked_at, m, p) + looked_at * m * m, "flops: K_nm, K_nm L^-T of the sample"),
                  repeats=3, note=residuals_of_landmarks)


@row(ask=True)
def hundred_thousand(sets):
    """Fits by default, as doc/scale.md shows them."""
    n, p = sets.rows(100000), 50
    x = sets.vectors(n, p)
    for model in ("kpca", "kle", "lpp", "npe", "krr", "contrastive", "spectral"):
        more = {"y": sets.targets(n)} if model == "krr" else {}
        yield Row(f"{model} fit", f"{n}x{p}", core("fit", model=model, x=x, **more), beyond=300, memory_mb=1500,
                  repeats=1)


# ---- scores -------------------------------------------------------------------------------------------------------------

RANKS = "trustworthiness continuity continuity_ke mrre qnx rnx lcmc".split()


@row
def scores(sets):
    n, p = sets.rows(10000), 50
    x, z, k = sets.vectors(n, p), sets.plane(n, p), min(12, (n - 1) // 2 - 1)
    setup = f"import numpy; x, z = numpy.load({x!r}), numpy.load({z!r}); from sklearn.manifold import trustworthiness"
    alone, limit = f"trustworthiness(k={k})", flops(n * n * (p + 2), "flops: half of X X', Z Z'")
    yield Row("trustworthiness", f"{n}x{p}, 2-D", core("score", specs=alone, x=x, z=z),
              python("scikit-learn", "python3-sklearn", setup, f"[[trustworthiness(x, z, n_neighbors={k})]]",
                     f"trustworthiness(x[:256], z[:256], n_neighbors={k})"),
              limit, wanted=10.0, memory=0.1, compare="values", repeats=3, peer_repeats=1)
    yield Row("all 7 rank scores", f"{n}x{p}, 2-D", core("score", specs=" ".join(f"{name}(k={k})" for name in RANKS), x=x, z=z),
              core("score", who="rkhs, trustworthiness alone", specs=alone, x=x, z=z), limit, wanted=1 / 1.5, repeats=3)


@row
def silhouette(sets):
    n, count = sets.rows(10000), 5
    z, labels = sets.plane(n), sets.classes(n, count)
    setup = f"import numpy; z, y = numpy.load({z!r}), numpy.load({labels!r}); from sklearn.metrics import silhouette_score"
    yield Row("silhouette", f"{n}x2, {count} classes", core("score", specs="silhouette", x=z, z=z, labels=labels),
              python("scikit-learn", "python3-sklearn", setup, "[[silhouette_score(z, y)]]",
                     "silhouette_score(z[:256], y[:256])"),
              flops(n * n / 2 * 6, "flops: half of the distances"), wanted=3.0, compare="values", repeats=3)


# ---- Python -------------------------------------------------------------------------------------------------------------


@row
def python_kpca(sets):
    """Beside the fastest setting of scikit-learn's that we know of, exact to 1e-12; the row kpca has others."""
    if not python_is_built():
        return
    n, p = sets.rows(5000), 50
    x = sets.vectors(n, p)
    ours = (f"import numpy, rkhs; x = numpy.load({x!r})\n"
            f"def new(): return rkhs.KernelPCA(n_components=2, kernel='rbf(gamma={GAMMA})', n_jobs=threads)")
    yield Row("KernelPCA in Python", f"{n}x{p}", our_python(ours, "new().fit_transform(x)", "new().fit_transform(x[:256])"),
              python("scikit-learn, arpack, tol 1e-08", "python3-sklearn",
                     SKLEARN_KPCA.format(x=x, gamma=GAMMA, solver="arpack", tol=1e-8), "new().fit_transform(x)",
                     "new().fit_transform(x[:256])"),
              flops(gram_flops(n, n / 2, p), "flops: the Gram alone"), wanted=2.0, memory=0.6, compare="signs", repeats=3)


@row
def python_call(sets):
    """What Python adds to a call, and what a program waits for the package. One thread: a second has nothing to do here."""
    if not python_is_built():
        return
    n, p, calls = 50, 10, 5000
    x, one, spec = sets.vectors(n, p), sets.vectors(1, p, 7), f"rbf(gamma={GAMMA})"
    ours = (f"import numpy, rkhs; x, one = numpy.load({x!r}), numpy.load({one!r})\n"
            f"m = rkhs.KernelPCA(n_components=2, kernel='{spec}', n_jobs=threads).fit(x)\n"
            f"def call():\n"
            f"    for _ in range({calls}): z = m.transform(one)\n"
            f"    return z")
    yield Row("transform of one row in Python", f"1 on {n}x{p}", our_python(ours, "call()", "call()", calls=calls),
              core("transform", who="rkhs in C", kernel=spec, model="kpca(dim=2)", x=x, new=one, calls=calls), beyond=20e-6,
              threads=1, compare="signs", repeats=5)
    yield Row("import rkhs after numpy", "-", our_python("import numpy", "__import__('rkhs') and None", once=True), beyond=0.05, repeats=5)


# ---- files --------------------------------------------------------------------------------------------------------------


@row
def csv(sets):
    n, p = sets.rows(100000), 50
    for digits in (17, 6):
        x = sets.table(n, p, digits)
        for threads in (1, None):
            yield Row(f"CSV read, {digits} digits", f"{n}x{p}", core("read", x=x),
                      python("pandas", "python3-pandas", "import pandas", f"pandas.read_csv({x!r}, header=None)"),
                      read(x), wanted=3.0, threads=threads, compare="values")


@row
def npy(sets):
    n, p = sets.rows(1000000), 50
    x = sets.vectors(n, p)
    yield Row("NPY read", f"{n}x{p}", core("read", x=x), python("numpy", "python3-numpy", "import numpy", f"numpy.load({x!r})"),
              read(x))
