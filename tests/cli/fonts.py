# SPDX-License-Identifier: BSD-3-Clause
"""Fonts for tests: write(path, family, letters) makes a TrueType font in which each letter is a box; letters: {code: (width, height)}, in
1/1000 of the size. fontconfig(path, *folders) makes a configuration that knows the fonts of these folders alone. boxes(path, rows) gives the
boxes in the first rows of a PNG, from left to right, as (width, height) in pixels."""
import struct
import zlib


def glyph(width, height):
    """An upright box from the base line on, with some room on both sides; nothing when its height is 0."""
    if height == 0:
        return b""
    xs, ys = (50, 0, width - 100, 0), (0, height, 0, -height)
    deltas = b"".join(struct.pack(">h", v) for v in xs) + b"".join(struct.pack(">h", v) for v in ys)
    box = struct.pack(">hhhhh", 1, 50, 0, width - 50, height) + struct.pack(">HH", 3, 0) + b"\x01" * 4 + deltas
    return box + bytes(-len(box) % 4)


def cmap(codes):
    groups = b"".join(struct.pack(">III", code, code, i + 1) for i, code in enumerate(codes))
    table = struct.pack(">HHIII", 12, 0, 16 + len(groups), 0, len(codes)) + groups
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + table


def name(family):
    texts = {1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}
    records, strings = b"", b""
    for key, text in texts.items():
        text = text.encode("utf-16-be")
        records += struct.pack(">HHHHHH", 3, 1, 0x409, key, len(text), len(strings))
        strings += text
    return struct.pack(">HHH", 0, len(texts), 6 + len(records)) + records + strings


def write(path, family, letters):
    codes = sorted(letters)
    shapes = [(600, 700)] + [letters[code] for code in codes]  # the first stands for what is not there
    glyphs = [glyph(*shape) for shape in shapes]
    places = [sum(len(g) for g in glyphs[:i]) for i in range(len(glyphs) + 1)]
    count, widest = len(glyphs), max(w for w, _ in shapes)
    os2 = struct.pack(">HhHHH", 4, 600, 400, 5, 0) + struct.pack(">10h", 650, 600, 0, 75, 650, 600, 0, 350, 50, 250) + struct.pack(">h", 0)
    os2 += bytes(10) + bytes(16) + b"test" + struct.pack(">HHH", 64, codes[0], min(codes[-1], 0xFFFF))
    os2 += struct.pack(">hhhHH", 800, -200, 0, 900, 200) + struct.pack(">II", 1, 0) + struct.pack(">hhHHH", 500, 700, 0, 32, 2)
    tables = {
        b"OS/2": os2,
        b"cmap": cmap(codes),
        b"glyf": b"".join(glyphs),
        b"head": struct.pack(">IIIIHHqqhhhhHHhhh", 0x10000, 0x10000, 0, 0x5F0F3CF5, 3, 1000, 0, 0, 0, 0, widest, 1000, 0, 8, 2, 1, 0),
        b"hhea": struct.pack(">IhhhHhhhhhhhhhhhH", 0x10000, 800, -200, 0, widest, 0, 0, widest, 1, 0, 0, 0, 0, 0, 0, 0, count),
        b"hmtx": b"".join(struct.pack(">Hh", w, 50) for w, _ in shapes),
        b"loca": b"".join(struct.pack(">I", at) for at in places),
        b"maxp": struct.pack(">IHHHHHHHHHHHHHH", 0x10000, count, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": name(family),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    head, body, at = struct.pack(">IHHHH", 0x10000, len(tables), 128, 3, len(tables) * 16 - 128), b"", 12 + 16 * len(tables)
    for tag in sorted(tables):
        data = tables[tag]
        padded = data + bytes(-len(data) % 4)
        head += struct.pack(">4sIII", tag, sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF, at + len(body), len(data))
        body += padded
    with open(path, "wb") as f:
        f.write(head + body)


def fontconfig(path, *folders):
    with open(path, "w", encoding="utf-8") as f:
        f.write('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>')
        f.writelines(f"<dir>{folder}</dir>" for folder in folders)
        f.write(f"<cachedir>{path}.cache</cachedir></fontconfig>\n")


def rows_of(path, count):
    """The first rows of a PNG of 8-bit RGB."""
    with open(path, "rb") as f:
        content = f.read()
    width, packed, at = struct.unpack(">I", content[16:20])[0], b"", 8
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        packed += content[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, before, stride = zlib.decompress(packed), bytes(3 * width), 3 * width
    for y in range(count):
        how, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left, up, corner = line[x - 3] if x >= 3 else 0, before[x], before[x - 3] if x >= 3 else 0
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[x] = (line[x] + (0, left, up, (left + up) // 2, paeth)[how]) & 255
        before = bytes(line)
        yield before


def boxes(path, rows):
    dark = [[line[x] < 128 for x in range(0, len(line), 3)] for line in rows_of(path, rows)]
    heights = [sum(column) for column in zip(*dark)] + [0]
    found, begun = [], None
    for x, height in enumerate(heights):
        if height and begun is None:
            begun = x
        elif not height and begun is not None:
            found.append((x - begun, max(heights[begun:x])))
            begun = None
    return found
