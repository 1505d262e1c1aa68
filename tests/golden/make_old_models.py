#!/usr/bin/env python3
"""tests/golden/make_old_models.py TOOL: model files of every model, and what they give, by an older tool, into old_models/.

They were made by the version before a model's own state left the report (commit a991b5e), and stay as they are: a file that
was written once is read for ever. test_old_models.c loads each of them. NAME.rkhs is the model, NAME_out.npy the transform of
KIND_new, NAME_inverse.npy what its own decoder makes of that.
"""
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent / "old_models"
N, NEW = 12, 4

# name, model, kernel, kind of data, further options
MODELS = [
    ("kpca", "kpca", "rbf", "dense", []),
    ("kpca_nystrom", "kpca(gram=nystrom(m=5))", "laplacian", "dense", []),
    ("kpca_strings", "kpca", "2*words + spectrum(p=2)", "strings", []),
    ("kpca_gram", "kpca", "precomputed", "gram", []),
    ("krr", "krr", "rbf", "dense", ["--target", "target.npy"]),
    ("kle", "kle(k=4)", "rbf", "dense", []),
    ("lpp", "lpp(k=4)", "rbf", "dense", []),
    ("npe", "npe(k=4)", "rbf", "dense", []),
    ("ke", "ke", "rbf", "dense", []),
    ("ke_labels", "ke(labels=0.5)", "rbf", "dense", ["--labels", "labels.txt"]),
    ("tke", "tke(k=4)", "rbf", "dense", []),
    ("tke_strings", "tke(k=4, match=product, lk=0.1, lx=0.01)", "spectrum(p=2)", "strings", []),
    ("bctke", "bctke(k=4, latent=cauchy)", "rbf", "dense", []),
    ("bctke_nearest", "bctke(k=4, map=nearest)", "rbf", "dense", []),
    ("bctke_nystrom", "bctke(k=4, place=refine, gram=nystrom(m=6))", "rbf", "dense", []),
    ("gplvm", "gplvm", "linear", "dense", []),
    ("gplvm_nystrom", "gplvm(gram=nystrom(m=6))", "rbf", "dense", []),
    ("gplvm_gram", "gplvm(place=neighbour)", "precomputed", "gram", []),
    ("gplvm_same", "gplvm", "linear", "same", []),
    ("bcgplvm", "bcgplvm(data=linear)", "rbf", "dense", []),
    ("contrastive", "contrastive", "rbf", "dense", []),
    ("spectral", "spectral(lambda=0.5)", "rbf", "dense", []),
    ("kae", "kae(latent=rbf)", "rbf", "dense", []),
    ("kae_images", "kae(unit=true, solver=lbfgs(iter=30))", "rbf", "images", []),
    ("kae_strings", "kae(solver=lbfgs(iter=30, gtol=1e-6))", "spectrum(p=2)", "strings", []),
]


def write_data():
    r = np.random.default_rng(3)
    x = np.repeat(r.normal(size=(3, 3)) * 2, N // 3, axis=0) + 0.5 * r.normal(size=(N, 3))
    new = x[:NEW] + 0.3 * r.normal(size=(NEW, 3))
    everything = np.concatenate([x, new])
    gram = np.exp(-((everything[:, None] - everything[None]) ** 2).sum(axis=2) / 8)
    words = ["ab", "ba", "cab", "abc", "bca", "aa"]
    lines = [" ".join(words[k] for k in r.integers(0, 6, 5)) for _ in range(N + NEW)]
    arrays = {"dense": x, "dense_new": new, "target": x[:, :2] ** 2, "gram": gram[:N, :N], "gram_new": gram[N:, :N],
              "same": np.ones((N, 3)), "same_new": new, "images": r.uniform(size=(N, 2, 3)), "images_new": r.uniform(size=(NEW, 2, 3))}
    for name, array in arrays.items():
        np.save(HERE / f"{name}.npy", array)
    (HERE / "strings.txt").write_text("\n".join(lines[:N]) + "\n")
    (HERE / "strings_new.txt").write_text("\n".join(lines[N:]) + "\n")
    (HERE / "labels.txt").write_text("\n".join("a" if i < N // 2 else "b" for i in range(N - 1)) + "\n?\n")


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    HERE.mkdir(exist_ok=True)
    write_data()

    def run(*arguments, check=True):
        return subprocess.run([tool, *arguments, "-q"], cwd=HERE, check=check)
    for name, model, kernel, kind, options in MODELS:
        data = f"{kind}.txt" if kind == "strings" else f"{kind}.npy"
        run("fit", model, data, "--kernel", kernel, *options, "-o", f"{name}.rkhs")
        run("transform", f"{name}.rkhs", data.replace(".", "_new."), "-o", f"{name}_out.npy")
        if name in ("kae", "kae_images"):
            run("inverse", f"{name}.rkhs", f"{name}_out.npy", "-o", f"{name}_inverse.npy")


if __name__ == "__main__":
    main()
