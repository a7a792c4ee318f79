"""Candidate samplers: classes drawn at random to stand for all those that are wrong.

With seeds they draw TensorFlow's own numbers. Each also tells how often a class is expected.
"""

from __future__ import annotations

import functools
import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core.arguments import TensorLike
from placewise.core.errors import ResourceExhaustedError, invalid
from placewise.core.runtime import State, runtime
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import Bind, define
from placewise.ops.io.paths import told
from placewise.ops.random.scalar_stream import ScalarStream
from placewise.ops.random.streams import SEEDS, Stream, op_seeds

_RESULTS = (
    "sampled_candidates: int64, true_expected_count: float32, sampled_expected_count: float32"
)
_COUNTS = "num_true: int >= 1, num_sampled: int >= 1, unique: bool"
_SEEDS = "seed: int = 0, seed2: int = 0"
_BLOCKS_EACH = 512  # what TensorFlow sets aside of a stream per sample

Sample = Callable[[ScalarStream], int]
Probability = Callable[[Any], Any]


def _uniform(range_max: int, **_: object) -> tuple[Sample, Probability]:
    return (lambda draws: draws.below_wide(range_max)), (
        lambda ids: np.full(ids.shape, 1 / range_max)
    )


def _log_uniform(range_max: int, **_: object) -> tuple[Sample, Probability]:
    span = math.log1p(range_max)

    def sample(draws: ScalarStream) -> int:
        return (int(math.exp(draws.double() * span)) - 1) % range_max

    return sample, lambda ids: np.log((ids + 2.0) / (ids + 1.0)) / span


def _learned(range_max: int, weights: Any = None, **_: object) -> tuple[Sample, Probability]:
    ends = np.cumsum(weights)
    total = int(ends[-1])

    def sample(draws: ScalarStream) -> int:
        return int(np.searchsorted(ends, draws.below(total), side="right"))

    return sample, lambda ids: weights[ids] / total


def _fixed(
    range_max: int,
    vocab_file: Any,
    distortion: float,
    num_reserved_ids: int,
    num_shards: int,
    shard: int,
    unigrams: Any,
    **_: object,
) -> tuple[Sample, Probability]:
    if isinstance(vocab_file, bytes):
        vocab_file = vocab_file.decode()
    if vocab_file and unigrams:
        raise invalid("Must provide exactly one of vocab_file and unigrams.")
    if not vocab_file and not unigrams:
        raise invalid("Must provide exactly one of vocab_file and unigrams.")
    counts = list(unigrams)
    if vocab_file:
        with told(vocab_file):
            lines = Path(vocab_file).read_text().splitlines()
        counts = [float(line.rsplit(",", 1)[-1]) for line in lines if line.strip()]
    if num_shards < 1 or not 0 <= shard < num_shards:
        raise invalid(f"shard {shard} is not one of {num_shards} shards")
    if num_reserved_ids > range_max * num_shards:
        raise invalid(f"range_max is {range_max}, less than {num_reserved_ids} reserved ids")
    reserved = [0.0] * len(range(shard, num_reserved_ids, num_shards))
    with np.errstate(all="ignore"):  # what is no number is refused below
        kept = [
            np.float32(np.float32(count) ** np.float32(distortion))
            for word, count in enumerate(counts, len(reserved))
            if word % num_shards == shard
        ]
    weights = np.asarray(reserved + kept, np.float32)
    if len(weights) != range_max:
        raise invalid(
            f"range_max is {range_max} but the size of the unigrams is {len(weights)}"
            if not vocab_file
            else f"range_max is {range_max} but vocab_file gives {len(weights)} words"
        )
    with np.errstate(all="ignore"):
        total = float(weights.sum(dtype=np.float32))
    if not 0 < total < np.inf or (weights < 0).any():
        raise invalid(
            f"the weights of unigrams raised to distortion {distortion} must be numbers that are "
            "not negative, and not all zero"
        )
    return _alias(weights), lambda ids: np.where(
        (ids >= 0) & (ids < len(weights)), weights[np.clip(ids, 0, len(weights) - 1)] / total, 0
    )


def _alias(weights: np.ndarray[Any, Any]) -> Sample:
    """Return Walker's method: a column at random, then one of the two classes that share it."""
    count = len(weights)
    shares = [float(each) * count / float(weights.astype(np.float64).sum()) for each in weights]
    other = [-1] * count
    low = [index for index, share in enumerate(shares) if share < 1]
    high = [index for index, share in enumerate(shares) if share >= 1]
    while high and low:
        small, large = low.pop(), high.pop()
        other[small] = large
        shares[large] -= 1.0 - shares[small]
        (low if shares[large] < 1 else high).append(large)
    for index in high + low:
        shares[index], other[index] = 1.0, index

    def sample(draws: ScalarStream) -> int:
        fraction = draws.single()
        column = draws.below(count)
        return column if fraction < np.float32(shares[column]) else other[column]

    return sample


# A class of weight 0 is never drawn: without a bound, asking for all classes would never end.
_MOST_TRIES = 100_000
_MOST_SAMPLES = 1 << 27


def _drawn(
    sample: Sample, draws: ScalarStream, count: int, unique: bool
) -> tuple[np.ndarray[Any, Any], int]:
    """Return the classes drawn, and how many draws that took."""
    if count > _MOST_SAMPLES:
        raise ResourceExhaustedError(
            None, None, f"OOM when allocating {count} sampled candidates: at most {_MOST_SAMPLES}"
        )
    if not unique:
        return np.asarray([sample(draws) for _ in range(count)], np.int64), count
    found: dict[int, None] = {}
    tries = 0
    while len(found) < count:
        tries += 1
        if tries > _MOST_TRIES * count:
            raise invalid(
                f"{len(found)} distinct classes in {tries} draws, {count} were asked for: too few "
                "have a probability above zero"
            )
        found.setdefault(sample(draws))
    return np.asarray(list(found), np.int64), tries


def _log_uniform_counts(span: float, ids: np.ndarray[Any, Any], count: int, tries: int) -> Any:
    """Return what `_expected` does, by the native module."""
    result = np.empty(ids.shape, np.float32)
    native.code.log_uniform_counts(np.ascontiguousarray(ids), result, span, count, tries)
    return torch.from_numpy(result)


def _expected(probability: Probability, ids: np.ndarray[Any, Any], count: int, tries: int) -> Any:
    """Return how often classes are expected among the samples."""
    chance = np.asarray(probability(ids), np.float32)
    if tries == count:
        return torch.from_numpy(np.asarray(chance * np.float32(count)))
    with np.errstate(divide="ignore"):
        counts = -np.expm1(tries * np.log1p(-chance.astype(np.float64)))
    return torch.from_numpy(counts.astype(np.float32))


def sampler_shape(
    true_classes: Static, *, num_true: int, num_sampled: int, **_: object
) -> list[Dims]:
    """Shape rule of every sampler."""
    shape = true_classes.shape
    if shape is not None and len(shape) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(shape)}")
    rows = None if shape is None else shape[0]
    return [(num_sampled,), (rows, num_true), (num_sampled,)]


def _check(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int
) -> None:
    if true_classes.dim() != 2:
        raise invalid("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        raise invalid(
            "true_classes must have num_true columns, expected: "
            f"{true_classes.shape[1]} was: {num_true}"
        )
    # Seen as unsigned, a negative class is above every range.
    if not (true_classes.numpy().view(np.uint64) < range_max).all():
        raise invalid(f"`true_candidate` out of range [0, {range_max})")
    if unique and num_sampled > range_max:
        raise invalid("Sampler's range is too small.")


@dataclass(slots=True)
class LearnedWeights(State):
    """What learned samplers have counted so far, by the id of their stream, which is kept."""

    by_stream: dict[int, tuple[Any, np.ndarray[Any, Any]]] = field(default_factory=dict)


_learned_weights = runtime.state(LearnedWeights)


def _weights_of(stream: Stream, range_max: int) -> np.ndarray[Any, Any]:
    found = _learned_weights.by_stream.get(id(stream))
    if found is None or found[0] is not stream:
        found = _learned_weights.by_stream[id(stream)] = (stream, np.ones(range_max, np.int64))
    return found[1]


def _sampler(
    name: str, rule: Callable[..., Any], extra: str, doc: str, learns: bool = False
) -> Bind:
    made = define(
        f"{name}(true_classes: int64; {_COUNTS}, range_max: int >= 1,"
        f" {extra}{_SEEDS}) -> {_RESULTS}",
        devices=("CPU",),
        stateful=True,
        differentiable=False,
        doc=doc,
    )
    made.shape(sampler_shape)

    @made.kernel
    def candidate_sampler_kernel(
        true_classes: torch.Tensor,
        *,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int,
        seed2: int,
        stream: Stream | None = None,
        **options: Any,
    ) -> Any:
        _check(true_classes, num_true, num_sampled, unique, range_max)
        if stream is None:
            stream = SEEDS.stream(name, seed, seed2, num_true, num_sampled, unique, range_max)
        if learns:
            options["weights"] = _weights_of(stream, range_max)
        sample, probability = rule(range_max, **options)
        place = stream.reserve(_BLOCKS_EACH * num_sampled)
        if native.code is not None and rule is _log_uniform:
            chosen = np.empty(num_sampled, np.int64)
            span = math.log1p(range_max)
            tries = native.code.log_uniform(*place.parts(), range_max, span, unique, chosen)
            counts_of = functools.partial(_log_uniform_counts, span)
        else:
            chosen, tries = _drawn(sample, ScalarStream(place), num_sampled, unique)
            counts_of = functools.partial(_expected, probability)
        true = true_classes.numpy()
        results = (
            torch.from_numpy(chosen),
            *(counts_of(ids, num_sampled, tries) for ids in (true, chosen)),
        )
        if learns:
            np.add.at(options["weights"], true.reshape(-1), 1)
        return results

    return made


_FILE = (
    "vocab_file: string = '', distortion: float = 1.0, num_reserved_ids: int = 0, "
    "num_shards: int >= 1 = 1, shard: int >= 0 = 0, unigrams: list(float) = [], "
)
uniform_op = _sampler("UniformCandidateSampler", _uniform, "", "Classes, all equally likely.")
log_uniform_op = _sampler(
    "LogUniformCandidateSampler",
    _log_uniform,
    "",
    "Classes, the first the likeliest, by Zipf's law.",
)
learned_op = _sampler(
    "LearnedUnigramCandidateSampler",
    _learned,
    "",
    "Classes, by how often they were seen so far.",
    learns=True,
)
thread_unsafe_op = _sampler(
    "ThreadUnsafeUnigramCandidateSampler",
    _learned,
    "",
    "Classes, by how often they were seen so far.",
    learns=True,
)
fixed_op = _sampler("FixedUnigramCandidateSampler", _fixed, _FILE, "Classes, by given frequencies.")

all_op = define(
    f"AllCandidateSampler(true_classes: int64; {_COUNTS}, {_SEEDS}) -> {_RESULTS}",
    devices=("CPU",),
    stateful=True,
    differentiable=False,
    doc="Every class once.",
)
all_op.shape(sampler_shape)


@all_op.kernel
def all_candidate_sampler_kernel(
    true_classes: torch.Tensor,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int,
    seed2: int,
) -> Any:
    _check(true_classes, num_true, num_sampled, unique, num_sampled)
    return (torch.arange(num_sampled), torch.ones(true_classes.shape), torch.ones(num_sampled))


accidental_hits_op = define(
    "ComputeAccidentalHits(true_classes: int64, sampled_candidates: int64; num_true: int, "
    f"{_SEEDS}) -> indices: int32, ids: int64, weights: float32",
    devices=("CPU",),
    differentiable=False,
    doc="Where sampled classes are true ones.",
)


@accidental_hits_op.shape
def compute_accidental_hits_shape(true_classes: Static, sampled: Static, **_: object) -> list[Dims]:
    return [(None,), (None,), (None,)]


@accidental_hits_op.kernel
def compute_accidental_hits_kernel(
    true_classes: torch.Tensor,
    sampled_candidates: torch.Tensor,
    *,
    num_true: int,
    seed: int,
    seed2: int,
) -> Any:
    if true_classes.dim() != 2 or true_classes.shape[1] != num_true:
        raise invalid("true_candidates must be a batch_size * num_true matrix")
    if sampled_candidates.dim() != 1:
        raise invalid(
            "sampled_candidates must be a vector, which is typically an output from "
            "CandidateSampler"
        )
    # A class drawn twice counts where it was drawn last, as in TensorFlow.
    place = {value: at for at, value in enumerate(sampled_candidates.tolist())}
    hits = [
        (row, place[value])
        for row, values in enumerate(true_classes.tolist())
        for value in values
        if value in place
    ]
    rows = torch.tensor([row for row, _ in hits], dtype=torch.int32)
    ids = torch.tensor([at for _, at in hits], dtype=torch.int64)
    return rows, ids, torch.full((len(hits),), torch.finfo(torch.float32).min)


def _result(name: str) -> Any:
    return namedtuple(name, ["sampled_candidates", "true_expected_count", "sampled_expected_count"])


UniformCandidateSampler = _result("UniformCandidateSampler")
LogUniformCandidateSampler = _result("LogUniformCandidateSampler")
LearnedUnigramCandidateSampler = _result("LearnedUnigramCandidateSampler")
FixedUnigramCandidateSampler = _result("FixedUnigramCandidateSampler")
AllCandidateSampler = _result("AllCandidateSampler")
ComputeAccidentalHits = namedtuple("ComputeAccidentalHits", ["indices", "ids", "weights"])


def _over_range(sampler: Any, result: Any) -> Callable[[Any], Any]:
    """Return a decorator that gives a function, of which only the text counts, its body."""

    def declare(described: Callable[..., Any]) -> Any:
        def sample(
            true_classes: Any,
            num_true: int,
            num_sampled: int,
            unique: bool,
            range_max: int,
            seed: Any = None,
            name: str | None = None,
        ) -> Any:
            counts = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
            return result(
                *sampler(true_classes, **counts, range_max=range_max, **op_seeds(seed), name=name)
            )

        return functools.update_wrapper(sample, described)

    return declare


@_over_range(uniform_op, UniformCandidateSampler)
def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return classes drawn from [0, range_max), all equally likely, and their expected counts."""


@_over_range(log_uniform_op, LogUniformCandidateSampler)
def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return classes drawn by Zipf's law (frequent classes first), and their expected counts."""


@_over_range(learned_op, LearnedUnigramCandidateSampler)
def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return classes drawn as often as they came up as true classes so far."""


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[Any] = (),
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return classes drawn by frequencies that a file or `unigrams` gives."""
    return FixedUnigramCandidateSampler(
        *fixed_op(
            true_classes,
            num_true=num_true,
            num_sampled=num_sampled,
            unique=unique,
            range_max=range_max,
            vocab_file=vocab_file,
            distortion=distortion,
            num_reserved_ids=num_reserved_ids,
            num_shards=num_shards,
            shard=shard,
            unigrams=list(unigrams),
            **op_seeds(seed),
            name=name,
        )
    )


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return every class below `num_sampled`, each expected once."""
    return AllCandidateSampler(
        *all_op(
            true_classes,
            num_true=num_true,
            num_sampled=num_sampled,
            unique=unique,
            **op_seeds(seed),
            name=name,
        )
    )


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Return rows, sample positions and the least float where a sampled class is a true one."""
    return ComputeAccidentalHits(
        *accidental_hits_op(
            true_classes, sampled_candidates, num_true=num_true, **op_seeds(seed), name=name
        )
    )
