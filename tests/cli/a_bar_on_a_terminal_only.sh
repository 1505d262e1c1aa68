. "$LIB"
rkhs sample 'swiss_roll(n=4000)' -o S.npy
rkhs gram 'rbf(sigma=1)' S.npy -o wide.npy # 4000 objects of 4000 numbers: a slow kernel matrix
"$PYTHON" - "$RKHS" fit 'kpca(dim=2)' --kernel 'laplacian(sigma=1)' wide.npy -z Z.npy --threads 1 <<'PY'
import os, pty, select, signal, subprocess, sys, time
def on_terminal(*more, term="xterm", seconds=60):
    """What a terminal sees until the bar with all its parts is there, or some seconds are over; then the fit is stopped."""
    main, side = pty.openpty()
    process = subprocess.Popen(sys.argv[1:] + list(more), stderr=side, env=dict(os.environ, TERM=term))
    os.close(side)
    seen, end, told = b"", time.monotonic() + seconds, False
    while True:
        if not told and (time.monotonic() > end or b" left" in seen):
            process.send_signal(signal.SIGINT)
            told = True
        if select.select([main], [], [], 0.1)[0]:
            try:
                seen += os.read(main, 65536)
            except OSError:
                break
    return seen.decode().replace("rkhs: stopped", "rkhs fit: stopped"), process.wait()  # by the watchdog, when it is slow to end
seen, code = on_terminal()
bar = [part for part in seen.split("\r\x1b[K") if " left" in part][0]
print("stage, bar, share, rate, time left:", all(p in bar for p in ("[", "]", "%", "/s", " left")) and bar.split()[0].isalpha())
print("erased:", seen.endswith("\r\x1b[Krkhs fit: stopped\r\n"), "exit", code)
print("quiet:", on_terminal("--quiet", seconds=1.5), "dumb:", on_terminal(term="dumb", seconds=1.5))
PY
rkhs fit 'kpca(dim=2)' S.npy --kernel 'rbf(sigma=1)' -z Z.npy --threads 1 2>&1 | grep -c 'rkhs fit: 4000 objects'
ls -A
