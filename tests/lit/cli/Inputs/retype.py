"""Copies a GGUF with another format id in one tensor's description. Usage: retype.py MODEL.gguf TENSOR ID OUT.gguf"""
import struct
import sys

model, tensor, format_id, out = sys.argv[1:]
with open(model, "rb") as file:
    data = bytearray(file.read())
name = tensor.encode()
at = data.index(struct.pack("<Q", len(name)) + name) + 8 + len(name)
(dimensions,) = struct.unpack_from("<I", data, at)
struct.pack_into("<I", data, at + 4 + 8 * dimensions, int(format_id))
with open(out, "wb") as file:
    file.write(data)
