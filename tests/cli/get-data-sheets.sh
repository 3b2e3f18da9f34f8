# tools/png-to-cifar10: a sheet of five images, one row per PNG filter type, comes back byte for byte.
cat >make.py <<'PYTHON'
import json, random, struct, zlib
random.seed(5)
WIDTH = 3072
rows = [bytes(random.randrange(256) for _ in range(WIDTH)) for _ in range(5)]
def guess(kind, left, up, corner):
    p = left + up - corner
    best = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))
    return [0, left, up, (left + up) // 2, best[2]][kind]
raw, above = b"", bytes(WIDTH)
for kind, row in enumerate(rows):
    raw += bytes([kind]) + bytes(
        (row[i] - guess(kind, row[i - 3] if i > 2 else 0, above[i], above[i - 3] if i > 2 else 0)) & 255
        for i in range(WIDTH))
    above = row
def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
with open("sheet.png", "wb") as f:
    f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1024, 5, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))
with open("labels.json", "w") as f:
    json.dump([9, 9, 3, 1, 4, 1, 5], f)
with open("expected.bin", "wb") as f:
    for label, row in zip([3, 1, 4, 1, 5], rows):
        f.write(bytes([label]) + row[0::3] + row[1::3] + row[2::3])
PYTHON
python3 make.py
"$ROOT/tools/png-to-cifar10" sheet.png labels.json 2 sheet.bin
cmp sheet.bin expected.bin && echo same
