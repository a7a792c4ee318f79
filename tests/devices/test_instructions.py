"""Which instructions torch may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from placewise.devices.instructions import has_wide_amd, limit_instructions


@pytest.mark.parametrize(
    ("flags", "limit"),
    [
        ("fpu hypervisor amx_tile avx512_fp16", "AVX512_CORE_FP16"),
        ("fpu hypervisor amx_tile", "AVX512_CORE_BF16"),
        ("fpu amx_tile", None),
        ("fpu hypervisor", None),
    ],
)
def test_tiles_are_left_alone_in_a_virtual_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: str, limit: str | None
) -> None:
    import os

    monkeypatch.delenv("ONEDNN_MAX_CPU_ISA", raising=False)
    file = tmp_path / "cpuinfo"
    file.write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    limit_instructions(str(file))
    assert os.environ.get("ONEDNN_MAX_CPU_ISA") == limit


def test_what_the_user_set_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", "ALL")
    file = tmp_path / "cpuinfo"
    file.write_text("flags\t\t: hypervisor amx_tile\n")
    limit_instructions(str(file))
    assert os.environ["ONEDNN_MAX_CPU_ISA"] == "ALL"


@pytest.mark.parametrize(
    ("vendor", "flags", "is_wide"),
    [
        ("AuthenticAMD", "avx2 avx512f avx512dq avx512bw avx512vl", True),
        ("AuthenticAMD", "avx2", False),
        ("GenuineIntel", "avx2 avx512f avx512dq avx512bw avx512vl", False),
    ],
)
def test_wide_instructions_of_amd_are_seen(
    tmp_path: Path, vendor: str, flags: str, is_wide: bool
) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(f"processor\t: 0\nvendor_id\t: {vendor}\nflags\t\t: {flags}\n")
    assert has_wide_amd(str(file)) is is_wide
    assert not has_wide_amd(str(tmp_path / "missing"))
