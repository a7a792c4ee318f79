"""Hashes are TensorFlow's for every length at which the method changes."""

from __future__ import annotations

import placewise as tf
from placewise.ops.strings.fingerprints import fingerprint64, murmur64, siphash

LENGTHS = (0, 1, 4, 8, 16, 17, 32, 33, 64, 65, 128, 250)
TEXTS = [bytes(range(n)) for n in LENGTHS]
FAST = [
    1936946117179621455,
    4494688008148699988,
    198155675784242496,
    3267946340606884760,
    1080060857502750420,
    4302810082142134044,
    1917831512995979081,
    2915358112413471310,
    3856493858525203531,
    478270155923209662,
    2037963038260878803,
    1495392823658899426,
]
OLD = [
    105434511174508091,
    1950187560451231046,
    3114504891833525627,
    502628180446468569,
    2600588123549868653,
    1362815619722030871,
    235957890591632321,
    962007355768313100,
    2192457456962414804,
    2525959834624391444,
    739982330887139047,
    3386919400679653485,
]
STRONG = [
    2658644055549027776,
    4056028816837488293,
    2532396783493988076,
    97700614628960245,
    1667620763633119851,
    1744962045504655632,
    3845790274566324447,
    1046559804135294554,
    647376780120257142,
    20813293062282555,
    347500203196170987,
    3445725168249292644,
]


def test_hashes() -> None:
    assert [fingerprint64(text) % 2**62 for text in TEXTS] == FAST
    assert [murmur64(text) % 2**62 for text in TEXTS] == OLD
    assert [siphash(text, (3, -5)) % 2**62 for text in TEXTS] == STRONG


def test_siphash_gives_the_published_vector() -> None:
    key = (0x0706050403020100, 0x0F0E0D0C0B0A0908)
    assert siphash(bytes(range(15)), key) == 0xA129CA6149BE45E5


def test_buckets() -> None:
    found = tf.strings.to_hash_bucket_fast(TEXTS, 2**62)
    assert found.numpy().tolist() == FAST
    assert found.dtype is tf.int64
