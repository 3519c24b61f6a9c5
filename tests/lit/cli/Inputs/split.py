"""Splits a GGUF: all metadata into the first file, all tensors into the second. Usage: split.py MODEL.gguf STEM"""
import struct
import sys

model, stem = sys.argv[1:]
with open(model, "rb") as file:
    data = file.read()
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # of value types; 8: string, 9: array


def after_string(at):
    return at + 8 + struct.unpack_from("<Q", data, at)[0]


def after_value(at, kind):
    if kind == 8:
        return after_string(at)
    if kind != 9:
        return at + SIZES[kind]
    element, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if element != 8:
        return at + count * SIZES[element]
    for _ in range(count):
        at = after_string(at)
    return at


def key(name, kind, value):
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + value


def after_keys(at, count):
    for _ in range(count):
        at = after_string(at)
        at = after_value(at + 4, struct.unpack_from("<I", data, at)[0])
    return at


def after_tensors(at, count):
    for _ in range(count):
        at = after_string(at)
        at += 4 + 8 * struct.unpack_from("<I", data, at)[0] + 12
    return at


def write(number, keys, count, tensors, rest):
    split = key("split.no", 2, struct.pack("<H", number)) + key("split.count", 2, struct.pack("<H", 2))
    head = b"GGUF" + struct.pack("<IQQ", 3, tensors, count + 2) + keys + split + rest[0]
    with open(f"{stem}-{number + 1:05}-of-00002.gguf", "wb") as out:
        out.write(head + bytes(-len(head) % 32) + rest[1])


_, tensors, keys = struct.unpack_from("<IQQ", data, 4)
end_of_keys = after_keys(24, keys)
end_of_table = after_tensors(end_of_keys, tensors)
write(0, data[24:end_of_keys], keys, 0, (b"", b""))
write(1, b"", 0, tensors, (data[end_of_keys:end_of_table], data[end_of_table + -end_of_table % 32 :]))
