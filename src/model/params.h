/* params.h: parameters that several models share, as rows of their tables. S: the model's parameter struct. */
#ifndef RK_MODEL_PARAMS_H
#define RK_MODEL_PARAMS_H

/* clang-format off */
#define RK_PARAM_DIM(S)                                                                                                \
    {.name = "dim", .aliases = "n_components", .kind = RK_INT, .offset = offsetof(S, dim), .value = "2", .min = 1,     \
     .max = 1e9, .brief = "dimensions of the embedding"}
#define RK_PARAM_NEIGHBOURS(S, VALUE, MAX, NOTE)                                                                       \
    {.name = "neighbours", .aliases = "k|neighbors|n_neighbors", .kind = RK_INT, .offset = offsetof(S, neighbours),    \
     .value = VALUE, .min = 1, .max = MAX,                                                                             \
     .brief = "number of nearest neighbours of each object in feature space; a larger number than there are others means all" NOTE}
#define RK_PARAM_CONSTANT(S)                                                                                           \
    {.name = "constant", .kind = RK_CHOICE, .offset = offsetof(S, constant), .value = "drop", .choices = "drop|keep",  \
     .brief = "the trivial solution, the same value for all objects: drop or keep it"}
#define RK_PARAM_AUGMENT(S)                                                                                            \
    {.name = "augment", .kind = RK_SPEC, .offset = offsetof(S, augment), .list = &rk_augments,                         \
     .brief = "augmentation that makes the positives, unless pairs or triplets are given; not given: noise(0.1), "     \
              "or edit, toggle, drop by the kind of data"}
#define RK_PARAM_START(S, VALUE, CHOICES, NOTE)                                                                        \
    {.name = "start", .kind = RK_CHOICE, .offset = offsetof(S, start), .value = VALUE, .choices = CHOICES,             \
     .brief = "initial embedding, unless one is given" NOTE}
#define RK_PARAM_GRAM(S, NOTE)                                                                                         \
    {.name = "gram", .kind = RK_SPEC, .offset = offsetof(S, gram), .value = "auto", .list = &rk_grams,                 \
     .brief = "the Gram matrix: exact, computed again for each product (lazy), or approximated by landmarks (nystrom); "  \
              "auto: chosen by the number of objects and the memory limit" NOTE}
#define RK_PARAM_EIGENSOLVER(S)                                                                                        \
    {.name = "solver", .kind = RK_SPEC, .offset = offsetof(S, solver), .list = &rk_eigensolvers,                       \
     .brief = "eigensolver: dense or lanczos; not given: chosen by size"}
#define RK_PARAM_OPTIMISER(S)                                                                                          \
    {.name = "solver", .kind = RK_SPEC, .offset = offsetof(S, solver), .value = "lbfgs", .list = &rk_optimisers,       \
     .brief = "optimiser: lbfgs, cg or adam"}
/* clang-format on */

#endif
