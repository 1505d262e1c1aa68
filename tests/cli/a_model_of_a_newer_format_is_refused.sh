. "$LIB"
rkhs sample 'circles(n=20)' -o X.npy
rkhs fit 'kpca(dim=2)' --kernel 'rbf(sigma=1)' X.npy -o m.rkhs -q
"$PYTHON" - <<'PY'
# the same file with format 99, its checksums right
import io, struct, zipfile, zlib
whole = bytearray(open("m.rkhs", "rb").read())
with zipfile.ZipFile(io.BytesIO(whole)) as z:
    info = z.getinfo("format.npy")
    entry = z.read(info)
start = whole.index(entry, info.header_offset)
newer = entry[:-8] + struct.pack("<q", 99)
whole[start:start + len(entry)] = newer
old, new = struct.pack("<I", zlib.crc32(entry)), struct.pack("<I", zlib.crc32(newer))
assert whole.count(old) == 2
whole = whole.replace(old, new)
mark = len(b"rkhs1 fnv1a64=") + 16
h = 0xcbf29ce484222325
for byte in whole[:-mark]:
    h = (h ^ byte) * 0x100000001b3 % 2**64
whole[-16:] = b"%016x" % h
open("newer.rkhs", "wb").write(whole)
PY
refuses 1 newer.rkhs 'format 99' 'format 1' -- info newer.rkhs
refuses 1 newer.rkhs 'format 99' 'format 1' -- transform newer.rkhs X.npy -o Z.npy
