"""What each model is for, in the words of its page in doc/: for help() here, and for the man page of `rkhs fit` and the reference,
which tools/make_doc.py makes."""

PURPOSES = {
    "kpca": "A first look at any data, and features for something else. It keeps as much of the variance as the dimensions can hold: "
            "dimensions are ordered and uncorrelated, and distances mean something. scikit-learn's KernelPCA, with more kernels.",
    "krr": "Predicts numbers from objects of any kind. scikit-learn's KernelRidge, with more kernels.",
    "kle": "Shows one connected shape, and the order along it, by following the graph of nearest neighbours. scikit-learn's "
           "SpectralEmbedding, with any kernel and a place for new objects. Far apart means not connected, and no more.",
    "lpp": "A projection of the columns that keeps neighbours together (linear kernel), or a smooth map that does so (other kernels).",
    "npe": "A map that keeps how each object is made up of its neighbours: locally linear embedding with a map. Good at sheets that are "
           "sampled evenly.",
    "ke": "Keeps neighbourhoods in any number of dimensions with a map for new objects, pulls clusters apart (alignment=0), and uses the "
          "labels of the rows that have one.",
    "tke": "Pictures of data that have groups, of any kind that has a kernel: neighbours stay neighbours, as in UMAP and t-SNE. Far apart "
           "means not alike, and no more.",
    "bctke": "Pictures as by tke, through a smooth map, which places new objects.",
    "gplvm": "Pictures of some hundred objects, with an estimate of how much of the data is noise: codes from which smooth functions give "
             "the data.",
    "bcgplvm": "Pictures as by gplvm, through a smooth map, which places new objects.",
    "contrastive": "Learns from pairs or triplets, this object belongs to that one and not to a third, a map that agrees; in closed form.",
    "spectral": "Learns from pairs or triplets as contrastive does: positives come together, negatives at right angles; by an optimiser.",
    "kae": "Codes from which the objects can be computed again, and removing noise: an encoder and a decoder, fitted together.",
}
