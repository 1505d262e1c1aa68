. "$LIB"
rkhs list | awk '/^[a-z]/ {print $1}'
rkhs list kernels >kernels
for name in linear poly sigmoid rbf laplacian matern rq cauchy cosine chi2 intersection minmax relu ntk tanimoto delta precomputed power columns normalize center standardize; do grep -q "^$name " kernels || echo "no $name"; done
rkhs list rbf | head -1
rkhs list kernels rbf | cmp - <(rkhs list rbf)
rkhs help rbf | cmp - <(rkhs list rbf)
rkhs help kernels | cmp - kernels
rkhs list rbf | awk '$1 == "parameter" || $1 == "sigma" {print $1}'
rkhs list kpca | awk '$1 == "dim" {print $1, $2}'
rkhs list formats | awk '/^[a-z]/ {print $1}'
rkhs list samples | awk '/^[a-z]/ {print $1}'
rkhs list models | grep -c '^kpca '
# every type of every list has a sentence
for list in $(rkhs list | awk '/^[a-z]/ {print $1}'); do rkhs list $list | awk -v l=$list '/^[a-z]/ && NF < 2 {print l, $0, "has no sentence"}'; done
refuses 1 "'kernel'" kernels -- list kernel
refuses 1 "'rbff'" rbf -- list rbff
refuses 1 "'rbf'" 'rkhs list models' -- list models rbf
refuses 1 "'rbff'" kernels rbf -- list kernels rbff
