. "$LIB"
rkhs sample 'swiss_roll(n=2500)' -o S.npy
rkhs gram 'rbf(sigma=1)' S.npy -o wide.npy
fit=(fit 'kpca(dim=2)' --kernel 'laplacian(sigma=1)' wide.npy -z Z.npy --threads 1)
"$PYTHON" - "$RKHS" "${fit[@]}" <<'PY'
import os, pty, subprocess, sys
def on_terminal(*more, term="xterm"):
    main, side = pty.openpty()
    process = subprocess.Popen(sys.argv[1:] + list(more), stderr=side, env=dict(os.environ, TERM=term))
    os.close(side)
    seen = b""
    try:
        while True:
            part = os.read(main, 65536)
            if not part:
                break
            seen += part
    except OSError:
        pass
    process.wait()
    return seen.decode()
seen = on_terminal()
print("bar:", "[=" in seen or "[." in seen, "rate:", "/s" in seen, "left:", " left" in seen)
print("erased:", seen.rfind("\r\x1b[K") > seen.rfind("]"), "one line stays:", seen.split("\x1b[K")[-1].count("\n") == 1)
print("quiet:", repr(on_terminal("--quiet")), "dumb:", "\x1b" not in on_terminal(term="dumb"))
PY
rkhs "${fit[@]}" 2>&1 | grep -c '='
