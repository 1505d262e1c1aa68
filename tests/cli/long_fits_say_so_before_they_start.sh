. "$LIB"
# A fit of hours on any machine: its first line says so, with a command that takes less, or with the rows that take a minute.
rkhs sample 'swiss_roll(n=400000)' -o X.npy
first_line() {
    "$RKHS" fit "$1" X.npy -z Z.npy --threads 1 2>words &
    local fit=$! i
    for ((i = 0; i < 600; i++)); do
        grep -q . words && break
        sleep 0.1
    done
    kill -INT $fit
    wait $fit
    head -n 1 words
}
line=$(first_line tke)
[[ $line =~ ^'rkhs: this fit takes about '[0-9]+' '(minutes|hours|days)' and '[0-9.]+' '[MG]'B; '[0-9]+' rows take about a minute'$ ]] || echo "tke: $line"
line=$(first_line 'kpca(gram=lazy, dim=3)')
[[ $line =~ '; gram=nystrom(landmarks='[0-9]+') takes about '.*': rkhs fit '\''kpca(gram=nystrom(landmarks='[0-9]+'), dim=3)'\'' X.npy -z Z.npy --threads 1'$ ]] || echo "kpca: $line"
command=${line##*: rkhs }
bash -c "\"$RKHS\" $command -q" && shape Z.npy # the command runs as it stands
# with --quiet nothing is said, nor of fits that are short
rkhs sample 'swiss_roll(n=300)' -o X.npy
for model in kpca kle lpp npe; do says '300 objects' -- fit $model X.npy -z Z.npy; done
# What a solver lacked: the command that is advised runs, and keeps the other parameters
words=$(rkhs fit 'tke(solver=lbfgs(max_iter=3, memory=5), dim=3)' X.npy -z Z.npy 2>&1 | head -n 1)
[[ $words == *"rkhs fit 'tke(solver=lbfgs(max_iter=20, memory=5), dim=3)' X.npy -z Z.npy" ]] || echo "tke: $words"
bash -c "\"$RKHS\" ${words##*: rkhs } -q" && shape Z.npy
