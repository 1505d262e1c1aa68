"""What each model is for, in the words of its page in doc/: for help() here, and for the man page of `rkhs fit` and the
reference, which tools/make_doc.py makes."""

PURPOSES = {
    "kpca": "A first look at any data, and features for another program. It keeps as much of the variance as that "
            "number of dimensions can; the dimensions are ordered and uncorrelated, and distances are meaningful. "
            "scikit-learn's KernelPCA, with more kernels.",
    "krr": "Predicts numbers from objects of any kind. scikit-learn's KernelRidge, with more kernels.",
    "kle": "Shows one connected shape, and the order along it, by following the graph of nearest neighbours. "
           "scikit-learn's SpectralEmbedding, with any kernel, and it also places new objects. How far apart "
           "unconnected objects lie means nothing.",
    "lpp": "A projection of the columns that keeps neighbours together (linear kernel), or a smooth map that does so "
           "(other kernels).",
    "npe": "A map that keeps the weights by which each object is reconstructed from its neighbours: locally linear "
           "embedding with a map for new objects. Good for evenly sampled sheets.",
    "ke": "Keeps neighbourhoods in any number of dimensions, with a map for new objects; pulls clusters apart "
          "(alignment=0); and can learn from labels that only some rows have.",
    "tke": "Pictures of groups in data of any kind that has a kernel: neighbours stay neighbours, as in UMAP and "
           "t-SNE. How far apart two groups lie means little.",
    "bctke": "Pictures as by tke, through a smooth map, which places new objects.",
    "gplvm": "Pictures of a few hundred objects, with an estimate of how much of the data is noise: an embedding from "
             "which smooth functions plus noise generate the data.",
    "bcgplvm": "Pictures as by gplvm, through a smooth map, which places new objects.",
    "contrastive": "Learns a map from pairs or triplets, which say that an object belongs to a second one and not to "
                   "a third; in closed form.",
    "spectral": "Learns a map from pairs or triplets as contrastive does, by an optimiser: positives come together, "
                "negatives at right angles.",
    "kae": "Embeddings (codes) from which the objects can be computed again, and removing noise: an encoder and a "
           "decoder, fitted together.",
}
