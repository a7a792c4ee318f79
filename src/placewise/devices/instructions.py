"""Instructions of the processor that torch must not use, and those that only oneDNN uses.

Virtual machines may show the matrix tiles of a processor (AMX) and refuse their instructions: a
product of bfloat16 then ends the process with an illegal instruction. oneDNN, which computes such
products, reads its limit when it computes for the first time.
"""

from __future__ import annotations

import contextlib

from placewise.core import environment

_FLAGS = "/proc/cpuinfo"
_ENOUGH_BYTES = 8192  # the flags of the first core are among them


def limit_instructions(path: str = _FLAGS) -> None:
    """Let oneDNN do without AMX in a virtual machine, unless ONEDNN_MAX_CPU_ISA is set."""
    _, flags = _processor(path)
    if {"amx_tile", "hypervisor"} <= flags:
        with_half = "avx512_fp16" in flags
        limit = "AVX512_CORE_FP16" if with_half else "AVX512_CORE_BF16"
        environment.put_default("ONEDNN_MAX_CPU_ISA", limit)


def has_wide_amd(path: str = _FLAGS) -> bool:
    """Return whether this is a processor of AMD with AVX-512, which MKL leaves unused there."""
    vendor, flags = _processor(path)
    return vendor == "AuthenticAMD" and {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags


def _processor(path: str) -> tuple[str, set[str]]:
    """Return the vendor of the first core and its flags; nothing of them but on Linux."""
    vendor, flags = "", set[str]()
    with contextlib.suppress(OSError), open(path) as file:
        for line in file.read(_ENOUGH_BYTES).splitlines():
            if line.startswith("vendor_id"):
                vendor = line.partition(":")[2].strip()
            elif line.startswith("flags"):
                flags = set(line.split())
                break
    return vendor, flags
