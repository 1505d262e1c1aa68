# With AVX2 and AVX-512, and with the BLAS kernels of three processors, files are the same to the byte: Grams, scores, fits that need
# no LAPACK, and what a given model file makes of new objects.
. "$LIB"
flags=" $(grep -m 1 '^flags' /proc/cpuinfo 2>/dev/null) "
has() { for flag in "$@"; do [[ $flags == *" $flag "* ]] || return 1; done; }
machines=()
if has avx2 fma bmi2; then machines+=('avx2 Prescott' 'avx2 Haswell'); fi
if has avx2 fma bmi2 avx512f avx512bw avx512cd avx512dq avx512vl; then machines+=('avx512 Prescott' 'avx512 SkylakeX'); fi

rkhs sample 'swiss_roll(n=300)' -o X.npy --labels-out y.npy
rkhs sample 'swiss_roll(n=90)' -o new.npy --seed 3
rkhs sample 'molecules(n=40)' -o graphs.gin
few='solver=lbfgs(max_iter=20)'
rkhs fit 'kpca(dim=3)' X.npy -o kpca.given -q
rkhs fit "tke($few)" X.npy -o tke.given -q
rkhs fit krr X.npy --target X.npy -o krr.given -q

count=0
made() { # runs the tool, with what it prints or writes in files that begin with the machine
    count=$((count + 1))
    env RKHS_INSTRUCTIONS="${machine% *}" OPENBLAS_CORETYPE="${machine#* }" "$RKHS" "$@" -q -o "$machine.$count.out"
}
for machine in "${machines[@]}"; do
    count=0
    for kernel in 'rbf(sigma=median)' 'laplacian(sigma=1)' 'matern(sigma=1)' 'rq(sigma=2)' 'poly(degree=3)' cosine relu ntk; do
        made gram "$kernel" X.npy --output-format npy
    done
    made gram chi2 "$DATA/digits.npy" --output-format npy
    made gram wl graphs.gin --output-format npy
    for model in *.given; do made transform "$model" new.npy --output-format npy; done
    for model in 'kpca(dim=3)' 'kpca(dim=3, gram=nystrom(landmarks=100))' kle lpp npe "ke($few)" "tke($few)" "bctke($few)" \
        "gplvm($few)" "bcgplvm($few)" "kae($few)"; do
        made fit "$model" X.npy
    done
    made fit krr X.npy --target X.npy
    made fit contrastive X.npy --augment 'noise(0.1)'
    made fit "spectral($few)" X.npy --augment 'noise(0.1)'
    rkhs transform tke.given X.npy -o Z.npy
    env RKHS_INSTRUCTIONS="${machine% *}" OPENBLAS_CORETYPE="${machine#* }" "$RKHS" score trustworthiness knn cka -z Z.npy -x X.npy \
        --labels y.npy --json >"$machine.score.out"
done
for machine in "${machines[@]:1}"; do
    for file in "${machines[0]}".*.out; do cmp "$file" "$machine${file#"${machines[0]}"}"; done
done
[ ${#machines[@]} = 0 ] || [ "$(ls "${machines[0]}".*.out | wc -l)" = 28 ] || echo "some files are missing"
