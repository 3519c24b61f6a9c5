"""Clang's CUDA front end over all kernels of a plan for NVIDIA, which NVRTC alone compiles, where there is a GPU.

Usage: check_cuda_sources.py PLAN HEADERS FOLDER; writes the sources to FOLDER and says how many there were."""
import concurrent.futures
import os
import re
import subprocess
import sys

plan, headers, folder = sys.argv[1:]
language = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cuda_language.h")
os.makedirs(folder, exist_ok=True)
# Strings of a plan file end with a zero; a source ends with what the kernel says of its LDS (wave_cuda.h).
sources = set(re.findall(rb"(#(?:include|define)[^\0]*DS4_KERNEL[^\0]*DS4_LDS_OF\([^\0]*\n)\0", open(plan, "rb").read()))
# Not headers, which define the macro, nor the IR, which escapes line ends.
sources = [source for source in sources if b"#define DS4_KERNEL" not in source and b"\\0A" not in source]


def check(number_and_source):
    number, source = number_and_source
    path = os.path.join(folder, f"{number}.cu")
    with open(path, "wb") as file:
        file.write(source)
    command = ["clang++-22", "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "-nocudainc", "-nocudalib", "-fsyntax-only",
               "-std=c++20", "-Wno-unknown-cuda-version", "-include", language, "-I", headers, path]
    return subprocess.run(command, capture_output=True, text=True).stderr


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    errors = [text for text in pool.map(check, enumerate(sorted(sources))) if text]
print(f"{len(sources)} kernels, {len(errors)} refused")
print("".join(errors)[:4000], end="", file=sys.stderr)
sys.exit(1 if errors else 0)
