#!/usr/bin/python3
"""Writes src/io/pow10_table.h: the first 128 bits of 10^q for q = -160 .. 160, as number.c needs them.

For q >= 0 the bits of 5^q are cut, for q < 0 those of 1/5^-q are rounded up: the error is then less than one unit of the
last bit, and of known sign. Run as: /usr/bin/python3 tools/pow10_table.py > src/io/pow10_table.h
"""
LEAST, MOST = -160, 160


def first_bits(q):
    """The leading 128 bits of 5^q, the highest of them set."""
    if q >= 0:
        value = 5**q
        shift = value.bit_length() - 128
        return value >> shift if shift > 0 else value << -shift
    power = 5**-q
    bits = power.bit_length() + 127
    value = 2**bits // power + 1
    while value >= 1 << 128:
        bits -= 1
        value = 2**bits // power + 1
    return value


print("/* pow10_table.h: the first 128 bits of 10^q, high and low half. Made by tools/pow10_table.py. */")
print(f"enum {{ POW10_LEAST = {LEAST}, POW10_MOST = {MOST} }};\n")
print("static const uint64_t pow10_table[POW10_MOST - POW10_LEAST + 1][2] = {")
entries = []
for q in range(LEAST, MOST + 1):
    value = first_bits(q)
    assert value >> 127 == 1
    entries.append(f"{{0x{value >> 64:016x}u, 0x{value & (1 << 64) - 1:016x}u}},")
for i in range(0, len(entries), 2):
    print("    " + " ".join(entries[i : i + 2]))
print("};")
