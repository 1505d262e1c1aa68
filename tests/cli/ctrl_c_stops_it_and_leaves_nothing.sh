. "$LIB"
rkhs sample 'swiss_roll(n=4000)' -o X.npy
rkhs gram 'rbf(sigma=1)' X.npy -o wide.npy # 4000 objects of 4000 numbers: a slow kernel matrix
# stop NAME SIGNAL SECONDS COMMAND...: sends a signal after some time, says how it ended
stop() {
    local name=$1 signal=$2 after=$3 pid begun code
    shift 3
    # The tests may run where signals are ignored: under nohup, in a shell's background.
    env --default-signal=INT,TERM,HUP "$RKHS" "$@" --threads 1 <hold >out 2>&1 &
    pid=$!
    sleep "$after"
    begun=$(date +%s%N)
    kill -"$signal" $pid
    wait $pid
    code=$?
    # On a machine with nothing else to do it is a tenth of a second; on a busy one the tool's own alarm ends it without its last word.
    [ $(($(date +%s%N) - begun)) -lt 10000000000 ] || echo "$name: took $(($(date +%s%N) - begun)) ns to stop"
    echo "$name: exit $code"
    grep -v ': stopped$' out
}
mkfifo hold
exec 3<>hold
stop 'a fit' INT 0.7 fit 'kpca(dim=2)' --kernel 'laplacian(sigma=1)' wide.npy -o m.rkhs -z Z.npy
stop 'a fit, SIGTERM' TERM 0.7 fit 'kpca(dim=2)' --kernel 'laplacian(sigma=1)' wide.npy -o m.rkhs
stop 'a fit, SIGHUP' HUP 0.7 fit 'kpca(dim=2)' --kernel 'laplacian(sigma=1)' wide.npy -o m.rkhs
stop 'a gram' INT 0.7 gram 'laplacian(sigma=1)' wide.npy -o K.npy
stop 'rows of a gram' INT 0.7 gram 'laplacian(sigma=1)' wide.npy --rows 100:3900 -o K.npy
stop 'a read' INT 0.3 fit 'kpca(dim=2)' - --format csv -o m.rkhs
stop 'a read, quiet' INT 0.3 gram rbf - --format npy -o K.npy --quiet
rm out
ls -A
