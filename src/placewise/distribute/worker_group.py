"""The workers of a cluster, met: sums, broadcasts and gatherings over torch.distributed.

Every wait has a deadline and names whom it waits for. Who died and who was stopped is seen at the
connections that all workers keep to each other (`peer_monitor.py`).
"""

from __future__ import annotations

import atexit
import logging
import re
import socket
import threading
import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore, TCPStore

from placewise.core.errors import UnavailableError
from placewise.core.runtime import State, runtime
from placewise.distribute.heartbeats import Heartbeats
from placewise.distribute.membership import Membership, is_loopback
from placewise.distribute.peer_monitor import PeerMonitor
from placewise.memory.transfer import move, to_host
from placewise.watchdog import watchdog

JOIN_SECONDS = 600.0
WAIT_SECONDS = 1800.0
_SLICE = timedelta(seconds=0.25)  # between looks at whether Ctrl-C was pressed or a worker died
_GRACE_SECONDS = 0.5  # for a call to end by itself when a worker has died
_ANSWER_SECONDS = 1.0  # for a worker that is not stopped
_SAID_SECONDS = 0.2  # for a meeting that is given up to say why
_DIRECT = frozenset(
    {torch.float32, torch.float64, torch.float16, torch.int8, torch.uint8, torch.int32, torch.int64}
)
_WIDER = {torch.bfloat16: torch.float32, torch.int16: torch.int32, torch.bool: torch.uint8}


class WorkerGroup:
    """The workers that this process meets with."""

    def __init__(self, member: Membership, local_count: int, timeout: float | None) -> None:
        self.member = member
        self.timeout = timeout or WAIT_SECONDS
        self._give_up = time.monotonic() + (timeout or JOIN_SECONDS)
        self.calls = 0  # that all workers made together
        self.is_waiting = True  # is this one in the last of them, or meeting the others?
        self._completed, self._has_failed = 0, False
        self._heartbeats: Heartbeats | None = None
        self._peers = self._monitor_peers()
        self._by_kind: dict[str, Any] = {}
        self._store: Any = None
        self.counts: list[int] = []
        try:
            self._join(local_count)
        except BaseException:
            self._peers.close(0, True)
            raise
        self.is_waiting = False
        atexit.register(self.close)
        self._watch()

    def _watch(self) -> None:
        """Let the workers tell each other where they stand, and somebody say who stands still."""
        dog = watchdog.start()
        if dog is not None:
            beats = Heartbeats(
                self.member, dog.interval, lambda: self._prefixed(self._client()), self
            )
            beats.start()
            dog.peers.append(beats)
            self._heartbeats = beats

    @property
    def store(self) -> Any:
        """What the workers tell each other, by key; the first worker or torchrun serves it."""
        return self._store

    # Meeting.

    def _monitor_peers(self) -> PeerMonitor:
        """Return a monitor that others can reach as long as this process lives."""
        member = self.member
        port = 0
        own = member.addresses[member.rank].rpartition(":")[2]
        if not member.is_served and own.isdigit():
            _check_free(int(own), member.names[member.rank])
            port = int(own) if member.rank else 0  # the first one's is the meeting place
        host = "127.0.0.1" if member.is_local else ""
        return PeerMonitor(host, port, lambda: (self.calls, self.is_waiting))

    def _join(self, local_count: int) -> None:
        """Meet the others in a thread: torch waits for ever for a stopped process's answer."""
        problems: list[BaseException] = []

        def meet() -> None:
            try:
                self._meet_all(local_count)
            except BaseException as problem:
                problems.append(problem)

        thread = threading.Thread(target=meet, name="placewise meeting", daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(0.1)
            if thread.is_alive() and (trouble := self._trouble()):
                error = self._left_alone(RuntimeError(trouble))
                # The thread may have ended while the others were asked, and know more.
                raise next((p for p in problems if isinstance(p, UnavailableError)), error)
        for problem in problems:
            is_torchs = isinstance(problem, RuntimeError)
            raise self._left_alone(problem) if is_torchs else problem from None

    def _trouble(self) -> str | None:
        """Return why there is nothing left to wait for while workers meet, or None."""
        if self._peers.ended():
            return "Connection closed by peer"
        return "it gives no answer" if time.monotonic() > self._give_up + _SAID_SECONDS else None

    def _left_alone(self, problem: BaseException) -> UnavailableError:
        """Return the error of a meeting that failed: who is silent, or else who served it."""
        gone, late = self._culprits(is_late=True)
        served_by = "the launcher" if self.member.is_served else self.member.names[0]
        who = " and ".join(self.member.names[rank] for rank in gone or late) or served_by
        return UnavailableError(
            None,
            None,
            f"{self.member.names[self.member.rank]} could not meet the others because of {who}: "
            f"{_first_line(problem)}. It has ended, or was stopped.",
        )

    def _meet_all(self, local_count: int) -> None:
        self._store = self._prefixed(self._meet())
        self._announce(local_count)
        for rank in range(self.member.size):
            if rank != self.member.rank:
                self._peers.connect(rank, self._told(f"monitor/{rank}", rank).decode())
        self.counts = [int(self._told(f"count/{rank}", rank)) for rank in range(self.member.size)]
        self._give_up = time.monotonic() + self.timeout
        self._by_kind["cpu"] = self._gloo()

    def _meet(self) -> Any:
        """Return the store through which the workers find each other."""
        member = self.member
        first = member.rank == 0 and not member.is_served
        host = "127.0.0.1" if is_loopback(member.meeting_host) else member.meeting_host
        if not first:
            self._wait_for_meeting(host)
        left = max(5.0, self._give_up - time.monotonic())
        try:
            return self._client(left, first)
        except (RuntimeError, dist.DistError) as problem:
            raise self._unreachable(problem) from None

    def _client(self, seconds: float = 10.0, serves: bool = False) -> Any:
        """Return a connection to the store, of which one thread has the use."""
        member = self.member
        host = "127.0.0.1" if is_loopback(member.meeting_host) else member.meeting_host
        return TCPStore(
            host,
            member.meeting_port,
            None,
            serves,
            wait_for_workers=False,
            timeout=timedelta(seconds=seconds),
        )

    def _wait_for_meeting(self, host: str) -> None:
        """Wait until the first worker listens; torch would fill the screen while it waits."""
        said = time.monotonic()
        while True:
            try:
                socket.create_connection((host, self.member.meeting_port), timeout=2.0).close()
                return
            except OSError as problem:
                now = time.monotonic()
                if now > self._give_up:
                    raise self._unreachable(problem) from None
                if now - said > 10:
                    said = now
                    _log().warning("Waiting for %s, where the workers meet", self.member.names[0])
            time.sleep(0.1)

    def _unreachable(self, problem: Exception) -> UnavailableError:
        member = self.member
        where = f"{member.meeting_host}:{member.meeting_port}"
        if member.rank == 0:
            said = f"{member.names[0]} cannot listen at {where}: {_first_line(problem)}"
        else:
            said = (
                f"{member.names[member.rank]} waited for {member.names[0]} to listen at {where}, "
                "in vain: is it running, is its TF_CONFIG the same, and does no firewall keep the "
                "port shut?"
            )
        return UnavailableError(None, None, said)

    def _prefixed(self, store: Any) -> Any:
        return PrefixStore(f"placewise/{self.member.attempt}", store)

    def _announce(self, local_count: int) -> None:
        member, store = self.member, self._store
        if store.add(f"here/{member.rank}", 1) > 1:
            raise UnavailableError(
                None,
                None,
                f"Two processes say they are {member.names[member.rank]}: give every process its "
                "own index in TF_CONFIG.",
            )
        store.set(f"cluster/{member.rank}", "\n".join(member.names))
        store.set(f"count/{member.rank}", str(local_count))
        host = "127.0.0.1" if member.is_local else _own_address(member)
        store.set(f"monitor/{member.rank}", f"{host}:{self._peers.port}")
        for rank in range(member.size):
            theirs = self._told(f"cluster/{rank}", rank).decode().split("\n")
            if theirs != list(member.names):
                raise ValueError(
                    f"The workers were told of different clusters: {member.names[member.rank]} of "
                    f"{', '.join(member.names)}, {theirs[rank] if rank < len(theirs) else rank} of "
                    f"{', '.join(theirs)}"
                )

    def _told(self, key: str, rank: int) -> bytes:
        """Return what a worker has said, waiting for it until the deadline."""
        said = time.monotonic()
        while not self._store.check([key]):
            now = time.monotonic()
            if now > self._give_up or self._store.check(["absent"]):
                raise self._in_vain(rank)
            if now - said > 10:
                said = now
                _log().warning("Waiting for %s", self.member.names[rank])
            time.sleep(0.02)
        found: bytes = self._store.get(key)
        return found

    def _in_vain(self, rank: int) -> UnavailableError:
        """Return the error of a meeting to which somebody does not come.

        Who gives up first tells the others. The store ends with the worker that serves it, so that
        one stays until they have read who is absent: they could only name this one otherwise.
        """
        member, store = self.member, self._store
        here = [r for r in range(member.size) if store.check([f"here/{r}"])]
        absent = [r for r in range(member.size) if r not in here] or [rank]
        if store.check(["absent"]):
            absent = [int(text) for text in store.get("absent").split()]
        store.set("absent", " ".join(map(str, absent)))
        store.add("know", 1)
        leave = time.monotonic() + _GRACE_SECONDS
        serves = member.rank == 0 and not member.is_served
        while serves and store.add("know", 0) < len(here) and time.monotonic() < leave:
            time.sleep(0.02)
        names = ", ".join(member.names[r] for r in absent)
        return UnavailableError(
            None,
            None,
            f"{member.names[member.rank]} waited for {names}, which did not come: start all "
            "workers of the cluster, each with its own index.",
        )

    def _gloo(self) -> Any:
        options: Any = dist.ProcessGroupGloo._Options()  # type: ignore[attr-defined]  # not in the stubs
        if self.member.is_local:
            options._devices = [dist.ProcessGroupGloo.create_device(hostname="127.0.0.1")]
        else:
            options._devices = [dist.ProcessGroupGloo.create_default_device()]
        options._timeout = timedelta(seconds=self.timeout)
        store = PrefixStore("gloo", self._store)
        try:
            return dist.ProcessGroupGloo(store, self.member.rank, self.member.size, options)
        except RuntimeError as problem:
            raise self._failed(problem) from None

    def _group_for(self, tensor: torch.Tensor) -> Any:
        kind = tensor.device.type
        found = self._by_kind.get(kind)
        if found is None:  # a real GPU, for the first time
            found = self._nccl() if self._has_nccl(tensor.device) else self._by_kind["cpu"]
            self._by_kind[kind] = found
        return found

    def _nccl(self) -> Any:
        store = PrefixStore("cuda", self._store)
        options = dist.ProcessGroupNCCL.Options()
        options._timeout = timedelta(seconds=self.timeout)
        return dist.ProcessGroupNCCL(store, self.member.rank, self.member.size, options)

    def _has_nccl(self, device: torch.device) -> bool:
        """Return whether NCCL serves all workers: it is CUDA's, and refuses two on one card."""
        card = ""
        if device.type == "cuda" and dist.is_nccl_available():
            uuid = torch.cuda.get_device_properties(device).uuid
            card = f"{socket.gethostname()} {uuid}"
        keys = [f"card/{device.type}/{rank}" for rank in range(self.member.size)]
        self._store.set(keys[self.member.rank], card)
        try:
            self._store.wait(keys, timedelta(seconds=self.timeout))
        except (RuntimeError, dist.DistError) as problem:
            raise self._failed(problem) from None
        cards = {self._store.get(key) for key in keys}
        return len(cards) == self.member.size and b"" not in cards

    def _at_hand(self, tensor: torch.Tensor, group: Any) -> torch.Tensor:
        """Return a tensor where its group can read it: gloo's are in host memory."""
        return to_host(tensor) if group is self._by_kind["cpu"] else tensor

    # What workers do together; all do the same, in the same order.

    def summed(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum of a tensor over all workers; the tensor may be overwritten."""
        group = self._group_for(tensor)
        sent = self._at_hand(tensor, group)
        self._done(group.allreduce, [sent])
        return move(sent, tensor.device)

    def from_first(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the first worker's tensor; the one given may be overwritten."""
        options = dist.BroadcastOptions()
        options.rootRank, options.rootTensor = 0, 0
        group = self._group_for(tensor)
        sent = self._at_hand(tensor, group)
        self._done(group.broadcast, [sent], options)
        return move(sent, tensor.device)

    def gathered(self, tensor: torch.Tensor) -> list[torch.Tensor]:
        """Return the tensors of all workers, which are of one shape."""
        group = self._group_for(tensor)
        sent = self._at_hand(tensor, group)
        made = [torch.empty_like(sent) for _ in range(self.member.size)]
        self._done(group.allgather, [made], [sent])
        return [move(each, tensor.device) for each in made]

    def _done(self, call: Any, *arguments: Any) -> None:
        self.calls += 1
        self.is_waiting = True
        try:
            self._wait(call(*arguments))
        except RuntimeError as problem:
            self._has_failed = True
            raise self._failed(problem) from None
        finally:
            self.is_waiting = False
        self._completed = self.calls

    def _wait(self, work: Any) -> None:
        """Wait for a call until it ends, its time is over, or a worker has died."""
        give_up = time.monotonic() + self.timeout
        while not work.is_completed():
            try:
                work.wait(_SLICE)
            except RuntimeError as problem:
                if work.is_completed():
                    break  # it came just after the slice: what it ended with is asked below
                now = time.monotonic()
                if "timed out" not in str(problem) or now > give_up:
                    raise
                # Whoever waits for a third worker, that itself lives, hears nothing from gloo.
                if self._peers.ended(self.calls):
                    give_up = min(give_up, now + _GRACE_SECONDS)
        work.wait()

    # Blame.

    def _failed(self, problem: Exception) -> UnavailableError:
        """Return the error that names the workers because of which a call failed."""
        own, text = self.member.names[self.member.rank], _first_line(problem)
        is_late = "imed out" in text or "imeout" in text
        gone, late = self._culprits(is_late)
        if gone:
            who = " and ".join(self.member.names[rank] for rank in gone)
            said = f"{who} ended while {own} worked with it: {text}"
        elif late or is_late:
            who = " and ".join(self._described(rank) for rank in late) or "another worker"
            waited = f"waited {self.timeout:g} s in vain" if is_late else "waits in vain"
            said = (
                f"{own} {waited} for {who}. All workers must take the same steps; "
                "CommunicationOptions(timeout_seconds=) says how long to wait."
            )
        else:
            said = f"The workers of {own} could not work together: {text}"
        return UnavailableError(None, None, said)

    def _described(self, rank: int) -> str:
        """Return the name of a worker, and where it stands if it says so."""
        beats = self._heartbeats
        return self.member.names[rank] if beats is None else beats.describe(rank)

    def _culprits(self, is_late: bool) -> tuple[list[int], list[int]]:
        """Return the workers that have ended, or else those that do not answer or are behind.

        A worker that ended because of another is named only where that other one cannot be.
        """
        deadline = time.monotonic() + _ANSWER_SECONDS
        while True:
            answers = self._peers.poll(max(0.2, deadline - time.monotonic()))
            ended = self._peers.ended(self.calls)
            victims = self._peers.failed_by_others(ended)
            guilty = [rank for rank in ended if rank not in victims]
            if guilty:
                return guilty, []
            if is_late or time.monotonic() > deadline:
                late = [rank for rank, at in answers.items() if at is None or at < self.calls]
                # One that is behind may itself wait for the worker that is to blame.
                waiting = self._peers.waiting(late)
                late = [r for r in late if answers[r] is None or r not in waiting] or late
                return ([] if late else victims), late
            time.sleep(0.05)  # it may be about to end

    def close(self) -> None:
        """Leave the others; nothing is waited for."""
        atexit.unregister(self.close)
        if self._heartbeats is not None:
            self._heartbeats.end()
            watchdog.leave(self._heartbeats)
        self._by_kind.clear()
        self._peers.close(self._completed, self._has_failed)


def _check_free(port: int, name: str) -> None:
    """Raise unless this process can have a port."""
    trial = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        trial.bind(("", port))
    except OSError as problem:
        raise UnavailableError(
            None,
            None,
            f"Port {port} of {name} is taken ({problem.strerror}): another program uses it, or "
            "an earlier run has not ended. End that, or give the task another port in TF_CONFIG.",
        ) from None
    finally:
        trial.close()


def _own_address(member: Membership) -> str:
    """Return the address by which the meeting place, and so the others, see this machine."""
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        probe.connect((member.meeting_host, member.meeting_port))
        found: str = probe.getsockname()[0]
        return found
    except OSError:
        return socket.gethostname()
    finally:
        probe.close()


def _first_line(problem: BaseException) -> str:
    text = re.sub(r"^\[[^\]]*\]\s*", "", str(problem).strip().split("\n")[0])  # torch's own file
    return text.partition(" This is typically")[0][:200]


def _log() -> logging.Logger:
    return logging.getLogger("tensorflow")


@dataclass(slots=True)
class WorkerGroups(State):
    """The groups of this process. Graphs name theirs by number; there is seldom more than one."""

    by_number: dict[int, WorkerGroup] = field(default_factory=dict)


groups = runtime.state(WorkerGroups, lasting=True)


def group_for(member: Membership, local_count: int, timeout: float | None) -> int:
    """Return the number of the group of these workers, which is made when there is none yet."""
    for number, known in groups.by_number.items():
        if known.member == member and known.counts[member.rank] == local_count:
            known.timeout = timeout or known.timeout
            return number
    number = len(groups.by_number)
    groups.by_number[number] = WorkerGroup(member, local_count, timeout)
    return number


def as_sent(tensor: torch.Tensor) -> torch.Tensor:
    """Return a copy of a tensor in a type that can be sent."""
    if tensor.is_complex():
        return torch.view_as_real(tensor).clone()
    if tensor.dtype in _DIRECT:
        return tensor.clone(memory_format=torch.contiguous_format)
    return tensor.to(_WIDER.get(tensor.dtype, torch.int64))


def as_received(sent: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Return what was sent as the type it had."""
    if like.is_complex():
        return torch.view_as_complex(sent)
    return sent.to(like.dtype)
