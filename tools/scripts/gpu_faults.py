"""Runs a kernel with a planted fault through libds4cuda.so, for compute-sanitizer to find. Usage: gpu_faults.py LIBRARY memcheck|racecheck|initcheck"""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
body = {"memcheck": "at[100000000] = 1;",
        "racecheck": "__shared__ int s[64]; s[threadIdx.x] = threadIdx.x; at[threadIdx.x] = s[63 - threadIdx.x];",
        "initcheck": "at[threadIdx.x] = at[threadIdx.x + 64] + 1;"}[sys.argv[2]]
source = 'extern "C" __global__ void fault(int *at) { %s }' % body


def call(name, *arguments):
    if result := getattr(library, name)(*arguments):
        sys.exit(f"{name}: {result}")


call("hipInit", 0)
call("hipSetDevice", 0)
version = (ctypes.c_char * 16384)()
call("hipGetDevicePropertiesR0600", version, 0)
program, module, function, memory = (ctypes.c_void_p() for _ in range(4))
call("hiprtcCreateProgram", ctypes.byref(program), source.encode(), b"fault.hip", 0, None, None)
options = (ctypes.c_char_p * 1)(b"--offload-arch=" + version[1160:1176].split(b"\0")[0])
call("hiprtcCompileProgram", program, 1, options)
size = ctypes.c_size_t()
call("hiprtcGetCodeSize", program, ctypes.byref(size))
code = ctypes.create_string_buffer(size.value)
call("hiprtcGetCode", program, code)
call("hipModuleLoadData", ctypes.byref(module), code)
call("hipModuleGetFunction", ctypes.byref(function), module, b"fault")
call("hipMalloc", ctypes.byref(memory), ctypes.c_size_t(1024))
parameters = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
call("hipModuleLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, parameters, None)
call("hipDeviceSynchronize")
