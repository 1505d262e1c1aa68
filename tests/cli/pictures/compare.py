#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare.py PICTURE STORED [--make]: says whether a PNG looks as a stored small one, or writes that one.

The picture is shrunk to the mean colours of squares of SQUARE pixels. It is alike when it has the same size, to a square, and
the differences add up to less than SHARE of its ink, which is how far it is from white paper: letters of another font change
some of it, a wrong colour or place much.
"""
import itertools
import struct
import sys
import zlib

SQUARE, SHARE = 16, 0.06


def read_png(path):
    """(width, height, rows of RGB bytes) of an 8-bit PNG of colours, with or without alpha, or of greys."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    at, packed = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(name + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0], path
        if name == b"IHDR":
            width, height, bits, kind = struct.unpack(">IIBB", body[:10])
            assert bits == 8 and kind in (0, 2, 6), (path, bits, kind)
        packed += body if name == b"IDAT" else b""
        at += 12 + length
    size = {0: 1, 2: 3, 6: 4}[kind]
    plain, rows, before = zlib.decompress(packed), [], bytearray(width * size)
    for y in range(height):
        start = y * (width * size + 1)
        before = undo(plain[start], bytearray(plain[start + 1:start + 1 + width * size]), before, size)
        colours = bytearray(3 * width)
        for k in range(3):
            colours[k::3] = before[k if size > 1 else 0::size]
        rows.append(colours)
    return width, height, rows


def undo(kind, row, above, size):
    """Undoes the filter of one row."""
    if kind == 1:
        for k in range(size):
            row[k::size] = bytes(itertools.accumulate(row[k::size], lambda a, b: (a + b) & 255))
    elif kind == 2:
        row[:] = bytes((a + b) & 255 for a, b in zip(row, above))
    elif kind > 2:
        for i in range(len(row)):
            a, b, c = (row[i - size] if i >= size else 0), above[i], (above[i - size] if i >= size else 0)
            pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            guess = (a + b) // 2 if kind == 3 else a if pa <= pb and pa <= pc else b if pb <= pc else c
            row[i] = (row[i] + guess) & 255
    return row


def shrink(path):
    """(columns, rows, mean colours row by row) over squares; what is left over at the right and below is dropped."""
    width, height, rows = read_png(path)
    across, down, means = width // SQUARE, height // SQUARE, bytearray()
    for y in range(down):
        sums = list(map(sum, zip(*rows[SQUARE * y:SQUARE * (y + 1)])))
        for x in range(across):
            cut = sums[3 * SQUARE * x:3 * SQUARE * (x + 1)]
            means += bytes(sum(cut[k::3]) // SQUARE ** 2 for k in range(3))
    return across, down, bytes(means)


def write_png(path, width, height, colours):
    rows = b"".join(b"\0" + colours[3 * width * y:3 * width * (y + 1)] for y in range(height))
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, body in chunks:
            file.write(struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)))


def main(picture, stored, make=None):
    across, down, colours = shrink(picture)
    if make:
        write_png(stored, across, down, colours)
        return
    width, height, rows = read_png(stored)
    if (width, height) != (across, down):
        print(f"differs: {across} x {down} squares, {width} x {height} are stored")
        return
    want = b"".join(rows)
    share = sum(abs(a - b) for a, b in zip(colours, want)) / sum(255 - b for b in want)
    print("alike" if share < SHARE else f"differs by {share:.2f} of the ink")


main(*sys.argv[1:])
