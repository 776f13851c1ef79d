"""Checks that screenshots of dlview show something.

usage: pictures.py PNG...

A screenshot of a view has thousands of runs of equal pixels and dozens of colors; an empty
window has a handful.
"""

import struct
import sys
import zlib


def rows_of(path):
    """Yields the rows of an 8-bit RGB or RGBA image, each as bytes, and their bytes per pixel."""
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is not a PNG file"
    place, packed, header = 8, b"", None
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            packed += body
        place += length + 12
    width, height, depth, color = header[:4]
    assert depth == 8 and color in (2, 6), f"{path} has an unexpected format"
    pixel = 3 if color == 2 else 4
    raw, line = zlib.decompress(packed), bytearray(width * pixel)
    for row in range(height):
        start = row * (width * pixel + 1)
        line = unfiltered(raw[start], raw[start + 1:start + 1 + width * pixel], line, pixel)
        yield line, pixel


def unfiltered(kind, line, above, pixel):
    line = bytearray(line)
    for i in range(len(line)):
        left = line[i - pixel] if i >= pixel else 0
        corner = above[i - pixel] if i >= pixel else 0
        if kind == 1:
            line[i] = (line[i] + left) & 255
        elif kind == 2:
            line[i] = (line[i] + above[i]) & 255
        elif kind == 3:
            line[i] = (line[i] + (left + above[i]) // 2) & 255
        elif kind == 4:
            guess = left + above[i] - corner
            near = min((abs(guess - left), 0, left), (abs(guess - above[i]), 1, above[i]),
                       (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + near) & 255
    return line


def main():
    paths = sys.argv[1:]
    if not paths:
        sys.exit("pictures.py: no files")
    for path in paths:
        colors, changes = set(), 0
        for line, pixel in rows_of(path):
            pixels = [bytes(line[i:i + pixel]) for i in range(0, len(line), pixel)]
            colors.update(pixels)
            changes += sum(a != b for a, b in zip(pixels, pixels[1:]))
        if len(colors) < 50 or changes < 5000:
            sys.exit(f"{path} is empty: {len(colors)} colors, {changes} changes")
        print(f"{path}: {len(colors)} colors")


if __name__ == "__main__":
    main()
