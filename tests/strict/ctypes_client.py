"""A Python process that touches device memory: ctypes_client.py <libascendcl.so>"""

import ctypes
import faulthandler
import sys

faulthandler.enable()
acl = ctypes.CDLL(sys.argv[1])
memory = ctypes.c_void_p()
assert acl.aclInit(None) == 0
assert acl.aclrtSetDevice(0) == 0
assert acl.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(64), 0) == 0
assert acl.aclrtMemset(memory, ctypes.c_size_t(64), 3, ctypes.c_size_t(64)) == 0
assert ctypes.string_at(memory.value, 4) == b"\x03\x03\x03\x03"  # host-access
assert acl.aclrtFree(memory) == 0
assert acl.aclrtResetDevice(0) == 0
assert acl.aclFinalize() == 0
print("end")
