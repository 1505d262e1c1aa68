"""png.py FILE HEIGHT WIDTH COLOUR DEPTH INTERLACED NUMBER...: writes a PNG file; COLOUR is as PNG counts: 0 grey, 2 RGB, 3 palette, 4 grey
with opacity, 6 RGBA. Numbers that are missing are 0."""
import struct
import sys
import zlib

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(height, width, colour, values, depth=8, interlaced=0):
    values = list(values) + [0] * (height * width * CHANNELS[colour] - len(values))
    count, rows = width * CHANNELS[colour], b""
    for y in range(height):
        row = values[y * count:(y + 1) * count]
        bits = "".join(format(v, f"0{depth}b") for v in row)
        bits += "0" * (-len(bits) % 8)
        rows += b"\0" + bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
    body = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))
    if colour == 3:
        body += chunk(b"PLTE", bytes(range(48)))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    path, *numbers = sys.argv[1:]
    height, width, colour, depth, interlaced, *values = map(int, numbers)
    with open(path, "wb") as f:
        f.write(png(height, width, colour, values, depth, interlaced))
