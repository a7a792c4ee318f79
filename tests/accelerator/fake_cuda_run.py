"""`placewise run` on four CUDA cards of fake tensors: each number read from a card is a zero."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from placewise.cli.main import main
from tests.accelerator.fake_cuda import cuda_cards

if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patches, cuda_cards(patches) as cards:
        cards.may_read = True
        sys.exit(main(["run", *sys.argv[1:]]))
