. "$LIB"
whole() { "$PYTHON" -c 'import json, sys
r = json.load(sys.stdin)
e = r["neighbours"][0]
print(round(e["dimension"]), e["error"] < 0.05 * e["dimension"], len(r["neighbours"]), r["gap"], r["variance"], r["ratio"] > 1e6)'; }
rkhs sample 'swiss_roll(n=1500)' -o roll.npy
rkhs dimension roll.npy --json | whole
rkhs dimension roll.npy --json --kernel linear | whole
rkhs sample 'circles(n=1000, noise=0)' -o circles.npy
rkhs dimension circles.npy --json | whole
# Five numbers in twenty columns
"$PYTHON" - <<'PY'
import random
random.seed(3)
turn = [[random.gauss(0, 1) for _ in range(20)] for _ in range(5)]
with open("five.csv", "w") as f:
    for _ in range(2000):
        u = [random.gauss(0, 1) for _ in range(5)]
        f.write(",".join(f"{sum(a * r[c] for a, r in zip(u, turn)):.17g}" for c in range(20)) + "\n")
PY
rkhs dimension five.csv --json --kernel linear | whole
rkhs dimension five.csv --kernel linear | awk '/^[a-z]/ {print $1}'
rkhs dimension "$DATA/digits.npy" --kernel linear --json | whole
for i in 1 2 3 4 5 6 7 8; do echo "aba$i$i"; echo "bcb$i$i$i"; done > words.txt
rkhs dimension words.txt --format lines --kernel 'spectrum(p=1)' | awk '/^[a-z]/ {print $1}'
