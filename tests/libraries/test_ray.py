"""Ray Train's TensorflowTrainer on two workers, one of which is killed."""

import json
import subprocess
import sys
from pathlib import Path


def test_ray_trains_on_two_workers_and_survives_a_killed_one(tmp_path):
    program = Path(__file__).with_name("ray_training.py")
    done = subprocess.run(
        [sys.executable, "-m", "placewise", "run", program, tmp_path],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "killed").exists()
    metrics = json.loads((tmp_path / "result.json").read_text())
    assert metrics["step"] == 6
    assert 0 < metrics["begun_at"] <= 3  # from the last checkpoint that Ray has
    assert metrics["loss"] < 1.0
    assert metrics["device"].startswith("/job:worker/replica:0/task:0/")
