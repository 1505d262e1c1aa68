"""The rows of the bench. To add one, write a function here: it is given the data sets and yields Rows.

Its name is what ROWS= says; @row(ask=True) runs only when asked for by name. Everything a row needs stands in it: the data, our
job, the peer's code (a string, as timeit takes it), the limit, and the ratio that the project wants, if any.
"""
import subprocess
import sys

from jobs import Row, core, fill, flops, python, r, read

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
    import numpy
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
                  core("fit", kernel=f"rbf(gamma={GAMMA})", model=f"kpca(dim=2, gram=nystrom(m={m}, by={by}))", x=x),
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
