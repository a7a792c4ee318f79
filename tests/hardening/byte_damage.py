"""Damage to bytes: flips, cuts, zeros, repeats, foreign pieces."""

from __future__ import annotations

import random


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Return bytes with one to four faults."""
    raw = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4])):
        if not raw:
            return bytes(raw)
        at = rng.randrange(len(raw))
        length = rng.choice([1, 2, 4, 16, 100])
        draw = rng.random()
        if draw < 0.35:
            raw[at] ^= 1 << rng.randrange(8)
        elif draw < 0.5:
            raw[at : at + length] = bytes(rng.randrange(256) for _ in range(length))
        elif draw < 0.6:
            del raw[at:]
        elif draw < 0.7:
            del raw[at : at + length]
        elif draw < 0.8:
            raw[at : at + length] = bytes(length)
        elif draw < 0.9:
            raw[at:at] = raw[at : at + length]
        else:
            raw[at : at + 8] = b"\xff" * 8
    return bytes(raw)
