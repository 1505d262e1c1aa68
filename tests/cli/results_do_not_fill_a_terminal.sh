. "$LIB"
rkhs sample 'circles(n=20)' -o X.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -z Z.npy -q
"$PYTHON" - <<'PY'
import os, pty, subprocess
for words in (["sample", "circles(n=5)"], ["gram", "rbf", "X.npy"], ["transform", "m.rkhs", "X.npy"], ["inverse", "m.rkhs", "Z.npy"], ["plot", "Z.npy"]):
    main, side = pty.openpty()
    done = subprocess.run([os.environ["RKHS"], *words], stdout=side, stderr=subprocess.PIPE, text=True)
    lines = done.stderr.splitlines()
    if done.returncode != 2 or len(lines) != 2 or not all(word in lines[0] for word in (f"rkhs {words[0]}: ", "terminal", "-o FILE")):
        print(words, done.returncode, done.stderr)
    os.close(side)
    os.close(main)
PY
