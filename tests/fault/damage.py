"""damage.py: model files with every kind of damage, for run.py. What comes of an accident keeps the old checksum; what was made to
deceive gets a right one (mend), so that the parser behind it must refuse."""
import io
import random
import struct
import zipfile

TAIL = 30  # bytes of the comment, "rkhs1 fnv1a64=0123456789abcdef"
LOCAL, CENTRAL = 30, 46


def mend(content):
    """The file with a right checksum."""
    value = 0xCBF29CE484222325
    for byte in content[:-TAIL]:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return content[:-TAIL] + b"rkhs1 fnv1a64=%016x" % value


def replace(content, at, new):
    return content[:at] + new + content[at + len(new):]


def accidents(model, other, draw):
    """(kind, content) of what disks, cables and people do."""
    size = len(model)
    spot = lambda room=0: draw.randrange(size - room)  # noqa: E731
    for _ in range(20):
        yield "cut", model[:spot()]
        at = spot()
        yield "flipped", replace(model, at, bytes([model[at] ^ 1 << draw.randrange(8)]))
        at, length = spot(64), draw.randrange(1, 64)
        if any(model[at:at + length]):
            yield "zeroed", replace(model, at, bytes(length))
        at = spot()
        yield "inserted", model[:at] + draw.randbytes(draw.randrange(1, 50)) + model[at:]
        at, length = spot(64), draw.randrange(1, 64)
        yield "removed", model[:at] + model[at + length:]
        length = draw.choice([16, 64, 512])
        a, b = draw.sample(range(size // length), 2)
        one, two = model[a * length:(a + 1) * length], model[b * length:(b + 1) * length]
        if one != two:
            yield "swapped", replace(replace(model, a * length, two), b * length, one)
        at = spot()
        yield "half of another", model[:at] + other[at:]
    for content in (model + model, model + other, model + b"\0", model + b"\n", model + bytes(512), b"\0" + model, other[:100] + model):
        yield "concatenated", content
    yield "as text", model.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    yield "as text", model.decode("latin-1").encode("utf-8")
    for order in (reversed, lambda names: draw.sample(names, len(names)), sorted):
        yield "other order, packed again", packed_again(model, order)
    yield "packed again", packed_again(model, list)
    yield "compressed again", packed_again(model, list, zipfile.ZIP_DEFLATED)
    for content in (b"", b"PK", b"\x93NUMPY\x01\x00", b"a,b\n1,2\n", bytes(1000), model[-TAIL:], model[:-TAIL] + other[-TAIL:]):
        yield "no model", content


def packed_again(model, order, method=zipfile.ZIP_STORED):
    """As another program would pack the same members: without our checksum."""
    old, out = zipfile.ZipFile(io.BytesIO(model)), io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as new:
        for name in order(old.namelist()):
            new.writestr(name, old.read(name))
    return out.getvalue()


def members(model):
    """(name, place of the local header, place of the NPY, its size, place of the directory's entry)"""
    at, archive = zipfile.ZipFile(io.BytesIO(model)).start_dir, zipfile.ZipFile(io.BytesIO(model))
    for entry in archive.infolist():
        name, extra = struct.unpack_from("<HH", model, entry.header_offset + 26)
        yield entry.filename, entry.header_offset, entry.header_offset + LOCAL + name + extra, entry.file_size, at
        at += CENTRAL + len(entry.filename) + len(entry.extra)


def forgeries(model):
    """(kind, content) of edits that somebody mended: headers, directory, arrays that cannot be."""
    end = len(model) - TAIL - 22
    for field, value in ((10, 1), (10, 0x7FFF), (12, 0), (12, 0xFFFFFFFF), (16, 0), (16, len(model)), (20, 0), (20, 31)):
        yield "end record, mended", replace(model, end + field, struct.pack("<I" if field in (12, 16) else "<H", value))
    for name, local, array, size, entry in members(model):
        needed = not name.startswith(("report/", "library"))
        for field, value in ((8, 1), (10, 8), (20, 0), (24, 2**32 - 2), (28, 3), (42, len(model)), (42, 1)):
            yield "directory, mended", replace(model, entry + field, struct.pack("<I" if field in (20, 24, 42) else "<H", value))
        yield "local header, mended", replace(model, local, b"QK")
        yield "local header, mended", replace(model, local + LOCAL, b"?")
        yield "array header, mended", replace(model, array, b"\x94")
        yield "array header, mended", replace(model, array + 6, b"\x09")
        yield "array header, mended", replace(model, array + 8, b"\xff\xff")
        header = model[array:array + 118]
        for old, new in ((b"'<f8'", b"'>f8'"), (b"'<f8'", b"'<f4'"), (b"'<i8'", b"'<u8'"), (b"'|S", b"'|U"), (b"(", b"[")):
            if old in header:
                yield "array header, mended", replace(model, array + header.index(old), new)
        if needed and b"'<f8'" in header:
            if name != "embedding.npy":  # which nothing computes with
                yield "NaN, mended", replace(model, array + size - 8, struct.pack("<d", float("nan")))
            if b", 2)" in header:
                yield "shape, mended", replace(model, array + header.index(b", 2)"), b", 3)")
        if needed:  # a member that nobody asks for is a member that is missing
            hidden = replace(model, local + LOCAL, b"_" + name[1:].encode())
            yield "renamed, mended", replace(hidden, entry + CENTRAL, b"_" + name[1:].encode())


def every_kind(models):
    """(kind, content) of some hundred files."""
    draw = random.Random(3)
    for i, model in enumerate(models):
        yield from ((kind, content) for kind, content in accidents(model, models[1 - i], draw) if content not in models)
    for kind, content in forgeries(models[1]):
        yield kind, mend(content)
