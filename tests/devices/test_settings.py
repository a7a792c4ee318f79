"""Settings, the lines that set them, and what importing loads."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from placewise.devices.origin import Origin, user_line
from placewise.devices.settings import Settings, check_fraction, check_policy, check_threads


def stand_in(monkeypatch, refuse=False):
    done = {}

    def interop(number):
        if refuse:
            raise RuntimeError("Error: cannot set number of interop threads\nmore")
        done["inter"] = number

    torch = SimpleNamespace(
        get_num_threads=lambda: 1,
        set_num_threads=lambda number: done.update(intra=number),
        get_num_interop_threads=lambda: 99,
        set_num_interop_threads=interop,
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    return done


def test_threads_reach_torch_once_it_is_loaded(monkeypatch):
    done = stand_in(monkeypatch)
    Settings().apply_threads()
    assert done == {}
    Settings(intra_op_threads=3, inter_op_threads=-1).apply_threads()
    assert done == {"intra": 3, "inter": 1}
    monkeypatch.delitem(sys.modules, "torch")
    Settings(intra_op_threads=3).apply_threads()


def test_a_setting_torch_refuses_is_recorded(monkeypatch):
    stand_in(monkeypatch, refuse=True)
    settings = Settings(inter_op_threads=2)
    settings.apply_threads()
    assert settings.without_effect == {
        "inter_op_threads": "Error: cannot set number of interop threads"
    }


def test_bad_values_are_shown():
    with pytest.raises(ValueError, match="Invalid argument `device_policy`: 'bad'"):
        check_policy("bad")
    with pytest.raises(TypeError, match="Expected a number of threads, got '2'"):
        check_threads("2")
    with pytest.raises(TypeError, match=r"got 2\.5"):
        check_threads(2.5)
    with pytest.raises(ValueError, match="got 4294967296"):
        check_threads(1 << 32)
    for bad in (0, -1, float("nan"), float("inf"), "x", None):
        with pytest.raises(ValueError, match=r"Expected a memory fraction such as 0\.4, got"):
            check_fraction(bad)
    assert (check_threads(-1), check_fraction("0.4"), check_policy(None)) == (-1, 0.4, None)


def test_the_users_line_is_the_innermost_outside_placewise():
    assert user_line().file == __file__
    assert str(Origin("/elsewhere/train.py", 41)) == "/elsewhere/train.py:41"


def test_paths_below_the_working_directory_are_short(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert str(Origin(str(tmp_path / "train.py"), 41)) == "train.py:41"


def test_listing_devices_loads_neither_torch_nor_protobuf():
    program = (
        "import sys; import placewise.config as config;"
        "config.list_physical_devices(); config.list_logical_devices();"
        "from placewise.devices.report import describe_machine; describe_machine();"
        "print([name for name in ('torch', 'google', 'numpy', 'keras') if name in sys.modules])"
    )
    for machine in ("", "8xH100"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PLACEWISE_SIMULATE": machine},
        )
        assert done.stdout == "[]\n"
