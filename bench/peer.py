#!/usr/bin/python3
"""One measured job of scikit-learn or NumPy, in a process of its own; bench.py calls it.

    peer.py gram GAMMA X.npy                         sklearn.metrics.pairwise.rbf_kernel
    peer.py fit GAMMA X.npy SOLVER TOL Z.npy         sklearn.decomposition.KernelPCA.fit_transform
    peer.py transform GAMMA X.npy NEW.npy Z.npy      KernelPCA.transform
    peer.py gemm X.npy NEW.npy                       the plain product NEW X', the limit of a transform and of a Gram
    peer.py residual GAMMA X.npy Z.npy...            no measurement: how exact are these scores

Prints one JSON line, as bench_core does.
"""
import json
import sys
import time

import numpy
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel


def memory(name):
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith(name + ":"))


def reset_peak():
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")


def measure(job, small):
    """Warms up on a few rows, then times the job; gives its result."""
    small()
    reset_peak()
    held, start = memory("VmRSS"), time.perf_counter()
    result = job()
    took = time.perf_counter() - start
    print(json.dumps({"seconds": took, "peak": memory("VmHWM") - held}))
    return result


def kernel_pca(gamma, solver="arpack", tol=0.0):
    return KernelPCA(n_components=2, kernel="rbf", gamma=float(gamma), eigen_solver=solver, tol=float(tol), random_state=0)


def gram(gamma, x_path):
    x = numpy.load(x_path)
    measure(lambda: rbf_kernel(x, gamma=float(gamma)), lambda: rbf_kernel(x[:256], gamma=float(gamma)))


def fit(gamma, x_path, solver, tol, z_path):
    x = numpy.load(x_path)
    model = kernel_pca(gamma, solver, tol)
    numpy.save(z_path, measure(lambda: model.fit_transform(x), lambda: kernel_pca(gamma, solver, tol).fit_transform(x[:256])))


def transform(gamma, x_path, new_path, z_path):
    x, new = numpy.load(x_path), numpy.load(new_path)
    model = kernel_pca(gamma).fit(x)
    numpy.save(z_path, measure(lambda: model.transform(new), lambda: model.transform(new[:256])))


def gemm(x_path, new_path):
    """By blocks of rows into one buffer, so that writing the product to memory is no part of the limit."""
    x, new = numpy.load(x_path), numpy.load(new_path)
    rows = 256
    out = numpy.empty((rows, len(x)))

    def product():
        for i in range(0, len(new), rows):
            block = new[i:i + rows]
            numpy.dot(block, x.T, out=out[:len(block)])
    measure(product, lambda: numpy.dot(new[:rows], x.T))


def residual(gamma, x_path, *z_paths):
    """max over components of |Kc u - l u| / l, with u the scores at length one and l their Rayleigh quotient."""
    K = rbf_kernel(numpy.load(x_path), gamma=float(gamma))

    def centred(u):
        v = K @ (u - u.mean())
        return v - v.mean()
    worst = []
    for path in z_paths:
        found = []
        for z in numpy.load(path).T:
            u = z / numpy.linalg.norm(z)
            v = centred(u)
            value = u @ v
            found.append(numpy.linalg.norm(v - value * u) / value)
        worst.append(max(found))
    print(json.dumps({"residuals": worst}))


if __name__ == "__main__":
    {"gram": gram, "fit": fit, "transform": transform, "gemm": gemm, "residual": residual}[sys.argv[1]](*sys.argv[2:])
