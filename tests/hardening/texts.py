"""Texts that people type: device names, machines, TF_CONFIG, visible devices, command lines."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
from typing import Any

import placewise as tf
from placewise.cli.main import main
from placewise.core.runtime import runtime
from tests.hardening.judgement import judge

_ALPHABET = "/:*-,@x0123456789.GPUCgpucjobtaskreplicdevM iB\0é\n\"'{}[]"


def typed(rng: random.Random, words: list[str]) -> str:
    """Return words that belong there, with a few characters that do not."""
    text = "".join(rng.choice(words) for _ in range(rng.randint(1, 5)))
    for _ in range(rng.choice([0, 0, 1, 2, 5])):
        at = rng.randrange(len(text) + 1)
        draw = rng.random()
        if draw < 0.5:
            text = text[:at] + rng.choice(_ALPHABET) + text[at:]
        elif draw < 0.8:
            text = text[:at] + text[at + 1 :]
        else:
            text = text[:at] + text[at:] * 2
    return text[:500]


class _Texts:
    words: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.last = ""

    def use(self, text: str, rng: random.Random) -> None:
        """Let the package read a text."""

    def run(self, number: int) -> str | None:
        """Read one text; return what was wrong with how that ended."""
        rng = random.Random(number)
        text = typed(rng, list(self.words))
        self.last = repr(text)
        try:
            self.use(text, rng)
        except Exception as error:
            return judge(error)
        return None


class DeviceStrings(_Texts):
    """Names of devices, in scopes of both eras and as specs."""

    words = ("/job:worker", "/task:1", "/replica:0", "/device:GPU:0", "/cpu:0", "gpu", "/gpu:*")
    words += ("CPU:1", "/", "/job:localhost", "/device:", "/device:*:0", "/xla_gpu:0", "/task:-1")

    def use(self, text: str, rng: random.Random) -> None:
        draw = rng.random()
        if draw < 0.4:
            tf.DeviceSpec.from_string(text).to_string()
        elif draw < 0.7:
            with tf.device(text):
                tf.constant(1.5) + 1
        elif draw < 0.9:
            with tf.Graph().as_default() as graph, tf.device(text):
                made = tf.constant(1.5) + 1
                with tf.compat.v1.Session(graph=graph) as session:
                    session.run(made)
        else:
            tf.config.experimental.get_memory_info(text)


class Machines(_Texts):
    """Descriptions of simulated machines."""

    words = ("4x", "K20m", "A100-80GB", "/MIG-1g.10gb", ":2GiB", "@nvlink", "@05:00.0", ",", "V100")
    words += ("host:64GiB/32cores", "0", "999999999x", "host:", "/", "1x", "@", ":")

    def use(self, text: str, rng: random.Random) -> None:
        with runtime.fresh():
            tf.simulate(text)


class TFConfig(_Texts):
    """TF_CONFIG, well formed JSON or not."""

    words = ('{"cluster": ', '{"worker": ["a:1", "b:2"]}', ', "task": ', "}", "null", '{"type": ')
    words += ('"worker"', ', "index": ', "0", "-1", "[]", '{"ps": {}}', '"x"', "1e99", "{}", '"')

    def use(self, text: str, rng: random.Random) -> None:
        if rng.random() < 0.5:
            parts = [
                None,
                {},
                [],
                "a:1",
                {"worker": ["a:1"]},
                {"worker": "a"},
                {"worker": {"x": 1}},
            ]
            text = json.dumps(
                {
                    "cluster": rng.choice(parts),
                    "task": rng.choice(
                        [None, [], {"type": "worker", "index": rng.choice([0, -1, 9, "0", None])}]
                    ),
                }
            )
        self.last = repr(text)
        os.environ["TF_CONFIG"] = text.replace("\0", "")
        try:
            resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
            resolver.cluster_spec().as_dict()
            str(resolver.task_type), str(resolver.task_id)
            resolver.master()
        finally:
            del os.environ["TF_CONFIG"]


class VisibleDevices(_Texts):
    """CUDA_VISIBLE_DEVICES on a simulated machine."""

    words = ("0", "1", ",", "-1", "GPU-", "3", "none", " ", "all", "99", "MIG-", "0,0")

    def use(self, text: str, rng: random.Random) -> None:
        os.environ["CUDA_VISIBLE_DEVICES"] = text.replace("\0", "")
        os.environ["PLACEWISE_SIMULATE"] = "3xV100"
        try:
            with runtime.fresh():
                tf.config.list_logical_devices("GPU")
        finally:
            del os.environ["CUDA_VISIBLE_DEVICES"], os.environ["PLACEWISE_SIMULATE"]


_MACHINES = ("4xK20m", "V100:1GiB", "2xA100-80GB", "0", "worker=2x(V100)", "8xH100@nvlink")
_NUMBERS = ("0", "1", "-1", "2.5", "nan", "inf", "1e99", "99999999999999999999", "", "x")
# What each command takes: options, each with the values that belong there, and programs.
_OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "devices": {"--simulate": _MACHINES, "--json": (), "--models": ()},
    "run": {
        "--simulate": _MACHINES,
        "--gpus": ("free", "free:2", "none", "0,2", "1", "-1"),
        "--wait": ("0", "nan", "-1", "x"),  # a number would be waited for
        "--memory": ("growth", "0.4", "4GiB", "-1", "1e99TiB", "nan"),
        "--place": ("auto", "first", "last"),
        "--workers": _NUMBERS,
        "--restarts": _NUMBERS,
        "--cluster": ("ps=1,worker=2", "ps=0", "=", "worker=9999", "ps,ps", "chief=1;"),
        "--hosts": ("a,b", "c:2300", "c:99999", ",", "[::1]:22"),
        "--task": ("ps:0", "worker:9", ":", "ps:-1"),
        "--watch": _NUMBERS,
        "--report": ("out.html", "nowhere/out.html", "."),
        "--trace": ("out.json.gz", "/", "."),
        "--traceback": ("short", "full", "long"),
        "--tf1": (),
        "--tf2": (),
        "--soft": (),
        "--strict": (),
        "--log-placement": (),
        "-v": (),
    },
    "plan": {
        "--on": _MACHINES,
        "--precision": ("auto", "bf16", "fp8"),
        "--steps": _NUMBERS,
        "--max-seconds": _NUMBERS,
        "--report": ("out.html", "nowhere/out.html"),
        "--place": ("auto", "first"),
        "--json": (),
        "--tf1": (),
    },
    "check": {"--simulate": _MACHINES, "--json": (), "--device": ("GPU:0", "gpu"), "--tf1": ()},
    "top": {
        "--simulate": _MACHINES,
        "--interval": ("nan", "-1", "0"),
        "--json": (),
        "--csv": (),
    },
    "completion": {},
}
_PROGRAMS = {
    "run": ("none.py", "none.ipynb", "none/", "--", "-m"),
    "plan": ("none.py", "none.ipynb", "none/", "-"),
    "check": ("none.py", "none.ipynb", "none/"),
    "top": ("--once",),  # without it, it would not end
    "completion": ("bash", "zsh", "fish", "sh"),
}


class CommandLine(_Texts):
    """Arguments of `placewise`, in this process.

    No program is run and none is planned: the files that the arguments may name do not exist.
    """

    words = ("",)  # arguments are drawn by their grammar

    def use(self, text: str, rng: random.Random) -> None:
        # Looking at a machine takes a tenth of a second, reading arguments a thousandth.
        names, weights = list(_OPTIONS), [8, 40, 20, 3, 3, 6]
        command = rng.choices(names, weights)[0]
        arguments = [command, *self._drawn(rng, command)]
        self.last = repr(arguments)
        kept: dict[str, Any] = dict(os.environ)
        out = io.StringIO()
        try:
            with (
                runtime.fresh(),
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(out),
            ):
                main(arguments)
        except SyntaxError:
            if not any(one.startswith("-c") for one in arguments):  # a program of its own
                raise
        except SystemExit as end:
            if end.code not in (None, 0, 1, 2) and not isinstance(end.code, str):
                raise RuntimeError(f"exit status {end.code}") from None
        finally:
            os.environ.clear()
            os.environ.update(kept)
        if "Traceback (most recent call last)" in out.getvalue():
            raise RuntimeError(out.getvalue()[-200:])

    def _drawn(self, rng: random.Random, command: str) -> list[str]:
        """Return options with their values, some of them damaged, and a program."""
        options = _OPTIONS[command]
        arguments: list[str] = []
        for name in rng.choices(list(options), k=rng.randint(0, 4)) if options else ():
            arguments.append(name)
            if options[name]:
                value = rng.choice(options[name])
                # A damaged number may be a good one, for which workers would be waited.
                is_number = options[name] is _NUMBERS or name == "--wait"
                if rng.random() < 0.5 and not is_number:
                    value = typed(rng, [value])
                if rng.random() < 0.2:
                    arguments[-1] += f"={value}"
                else:
                    arguments.append(value)
        if rng.random() < 0.1:
            arguments.append(typed(rng, ["--json", "--simulate", "-v", "4xK20m"]))
        if command == "top" or rng.random() < 0.8:
            arguments.append(rng.choice(_PROGRAMS.get(command, ("none",))))
        # A lone - is a program, on standard input: `run` would run it.
        return [one.replace("\0", "") for one in arguments if one != "-" or command != "run"]
