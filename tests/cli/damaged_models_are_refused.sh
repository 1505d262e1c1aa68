. "$LIB"
rkhs sample 'circles(n=40)' -o X.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -q
size=$(wc -c <m.rkhs)
: >empty.rkhs; refuses 1 empty.rkhs empty -- info empty.rkhs
refuses 1 X.npy 'rkhs fit -o' -- info X.npy
head -c $((size / 2)) m.rkhs >half.rkhs; refuses 1 half.rkhs damaged checksum -- transform half.rkhs X.npy -o Z.npy
head -c $((size - 1)) m.rkhs >short.rkhs; refuses 1 short.rkhs damaged checksum -- transform short.rkhs X.npy -o Z.npy
(cat m.rkhs; printf x) >long.rkhs; refuses 1 long.rkhs damaged checksum -- transform long.rkhs X.npy -o Z.npy
# cut and flipped at bytes all over the file: always refused, always a sentence, never a crash
"$PYTHON" - <<'PY'
import os, subprocess
tool, whole = os.environ["RKHS"], open("m.rkhs", "rb").read()
step = max(1, len(whole) // 40)
places = sorted(set(list(range(0, len(whole), step)) + [0, 1, 2, 3, len(whole) - 1, len(whole) - 8, len(whole) - 9]))
wrong = []
for kind in ("cut", "flipped"):
    for at in places:
        damaged = whole[:at] if kind == "cut" else whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1:]
        with open("d.rkhs", "wb") as f:
            f.write(damaged)
        done = subprocess.run([tool, "info", "d.rkhs"], capture_output=True, text=True)
        if done.returncode != 1 or done.stdout or not done.stderr.startswith("rkhs info: d.rkhs") or done.stderr.count("\n") != 1:
            wrong.append((kind, at, done.returncode, done.stderr))
print(f"{len(wrong)} wrong answers", *wrong[:3])
PY
