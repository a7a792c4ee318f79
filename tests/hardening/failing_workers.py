"""Workers that are killed or stopped at random: the others say who, and nothing learnt is lost.

Three workers train with a checkpoint a step. At a random moment one is killed or stopped; the
others must name it within 2 s of that moment, or of the timeout. All begin anew from the last
checkpoint, and end with the very weights of a run that nobody disturbed.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import placewise as tf
import placewise.distribute.worker_group  # loaded before workers are forked

SIZE, STEPS, BATCH = 3, 30, 12
TIMEOUT_SECONDS = 4.0
LIMIT_SECONDS = 2.0
_PATIENCE_SECONDS = 40.0


class FailingWorkers:
    """The n-th failure: kills and stops take turns."""

    def __init__(self) -> None:
        self.last = ""
        self.undisturbed: tuple[bytes, float] | None = None

    def run(self, number: int) -> str | None:
        """Disturb one run, and compare what came of it."""
        rng = random.Random(number)
        root = Path(tempfile.mkdtemp())
        try:
            if self.undisturbed is None:
                (root / "alone").mkdir()
                _train(root / "alone", 0)  # loads what the workers need, which are forked from here
                self.undisturbed = _whole_run(root / "undisturbed")
            return self._disturbed(rng, root, (signal.SIGKILL, signal.SIGSTOP)[number % 2])
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def _disturbed(self, rng: random.Random, root: Path, how: signal.Signals) -> str | None:
        assert self.undisturbed is not None
        weights, seconds = self.undisturbed
        for attempt in range(10):  # a run that is over before its moment comes counts as none
            folder = root / str(attempt)
            victim, moment = rng.randrange(SIZE), rng.uniform(0.0, seconds)
            team = Team(folder, lingers=rng.random() < 0.5)
            time.sleep(moment)
            if team.has_ended(victim) or (folder / "weights.0").exists():
                team.end()
                continue
            self.last = f"{how.name} of worker {victim} after {moment:.2f} s"
            problem = team.strike(victim, how)
            team.end()
            if problem is not None:
                return problem
            if _whole_run(folder)[0] != weights:
                return "other weights than undisturbed"
            return None
        return "no run lasted long enough"


def _whole_run(folder: Path) -> tuple[bytes, float]:
    """Run workers to their end; return the weights of all of them, and how long it took."""
    begun = time.monotonic()
    team = Team(folder)
    try:
        team.wait(range(SIZE))
    finally:
        team.end()
    read = [(folder / f"weights.{rank}").read_bytes() for rank in range(SIZE)]
    assert len(set(read)) == 1, "the workers learnt different things"
    return read[0], time.monotonic() - begun


class Team:
    """The processes of one attempt, forked: what takes them seconds to load is there already."""

    def __init__(self, folder: Path, lingers: bool = False) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        for kind in ("said", "met"):
            for path in folder.glob(f"{kind}.?"):
                path.unlink()
        self.addresses = [f"localhost:{port}" for port in _free_ports()]
        self.living: dict[int, int] = {}
        for rank in range(SIZE):
            child = os.fork()
            if not child:
                _be_worker(folder, self.addresses, rank, lingers)
            self.living[rank] = child

    def has_ended(self, rank: int) -> bool:
        """Return whether a worker is no more."""
        child = self.living.get(rank)
        if child is not None and os.waitpid(child, os.WNOHANG)[0]:
            del self.living[rank]
        return rank not in self.living

    def wait(self, ranks: Any) -> None:
        """Wait for workers to end."""
        give_up = time.monotonic() + _PATIENCE_SECONDS
        while not all(self.has_ended(rank) for rank in ranks):
            if time.monotonic() > give_up:
                raise RuntimeError(f"workers {list(self.living)} do not end")
            time.sleep(0.01)

    def strike(self, victim: int, how: signal.Signals) -> str | None:
        """Kill or stop a worker; return what was wrong with what the others said of it."""
        have_met = all((self.folder / f"met.{rank}").exists() for rank in range(SIZE))
        struck = time.monotonic()
        os.kill(self.living[victim], how)
        limit = LIMIT_SECONDS
        # Before they have met, one that died looks like one that has not been started yet.
        if how == signal.SIGSTOP or not have_met:
            limit += TIMEOUT_SECONDS
        name = f"worker {victim} ({self.addresses[victim]})"
        for rank in set(range(SIZE)) - {victim}:
            problem = self._heard(rank, name, struck, limit)
            if problem is not None:
                return f"{problem} ({'met' if have_met else 'meeting'})"
        return None

    def _heard(self, rank: int, name: str, struck: float, limit: float) -> str | None:
        path = self.folder / f"said.{rank}"
        while not path.exists():
            if (self.folder / f"weights.{rank}").exists():
                return None  # it had all it needed of the other
            if time.monotonic() > struck + limit + 10:
                return f"worker {rank} says nothing"
            time.sleep(0.02)
        said = json.loads(path.read_text())
        if name not in said["message"]:
            return f"worker {rank} does not name {name}: {said['message'][:300]}"
        late = said["at"] - struck
        return f"worker {rank} said it after {late:.1f} s" if late > limit else None

    def end(self) -> None:
        """End what is left, and wait for it."""
        for child in self.living.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        self.living.clear()


def _free_ports() -> list[int]:
    holders = [socket.socket() for _ in range(SIZE)]
    for holder in holders:
        holder.bind(("127.0.0.1", 0))
    ports = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports


def _be_worker(folder: Path, addresses: list[str], rank: int, lingers: bool) -> None:
    """Train in this process, and end it."""
    atexit._clear()  # what the parent wants done at its end is not for its children
    os.environ["TF_CONFIG"] = json.dumps(
        {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": rank}}
    )
    status = 1
    try:
        _train(folder, rank)
        status = 0
    except tf.errors.UnavailableError as error:
        _write(folder / f"said.{rank}", {"at": time.monotonic(), "message": error.message})
        if lingers:
            time.sleep(_PATIENCE_SECONDS)
    except BaseException:
        _write(
            folder / f"said.{rank}",
            {"at": time.monotonic(), "message": traceback.format_exc()[-300:]},
        )
    finally:
        atexit._run_exitfuncs()
        os._exit(status)


def _write(path: Path, said: dict[str, Any]) -> None:
    """Write a file that is there in whole or not at all."""
    draft = path.with_name(f"{path.name}.draft")
    draft.write_text(json.dumps(said))
    draft.rename(path)


def _train(folder: Path, rank: int) -> None:
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=TIMEOUT_SECONDS)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    (folder / f"met.{rank}").touch()
    rng = np.random.RandomState(0)
    x = rng.rand(STEPS * BATCH, 5).astype("f")
    y = rng.rand(STEPS * BATCH, 2).astype("f")
    with strategy.scope():
        weights = tf.Variable(tf.random.stateless_normal([5, 2], [1, 2]))
        slot, count = tf.Variable(tf.zeros([5, 2])), tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(weights=weights, slot=slot, count=count)
    manager = tf.train.CheckpointManager(checkpoint, str(folder / "saved"), max_to_keep=2)
    checkpoint.restore(tf.train.latest_checkpoint(str(folder / "saved")))

    @tf.function
    def step(features: Any, labels: Any) -> Any:
        def replica(features: Any, labels: Any) -> None:
            with tf.GradientTape() as tape:
                keep = tf.random.stateless_uniform([5, 2], tf.stack([count, 7])) > 0.2
                guess = tf.matmul(features, tf.where(keep, weights, tf.zeros_like(weights)))
                loss = tf.reduce_sum((guess - labels) ** 2) / BATCH
            gradient = tape.gradient(loss, weights)
            context = tf.distribute.get_replica_context()
            (gradient,) = context.all_reduce("sum", [gradient])
            slot.assign(0.9 * slot + gradient)
            weights.assign_sub(0.05 * slot)
            count.assign_add(1)

        strategy.run(replica, args=(features, labels))

    rows = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH).skip(int(count.numpy()))
    for features, labels in strategy.experimental_distribute_dataset(rows):
        step(features, labels)
        if strategy.extended.should_checkpoint:
            manager.save(checkpoint_number=int(count.numpy()))
    (folder / f"weights.{rank}").write_bytes(weights.numpy().tobytes() + slot.numpy().tobytes())
