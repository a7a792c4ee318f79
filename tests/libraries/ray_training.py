"""Ray Train with placewise as its tensorflow: two workers; one is killed, and Ray goes on.

placewise run ray_training.py FOLDER
"""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np
import ray
import tensorflow as tf
from ray import train
from ray.train import Checkpoint, FailureConfig, RunConfig, ScalingConfig
from ray.train.tensorflow import TensorflowTrainer

STEPS, KILLED_AT = 6, 3


def use_placewise():
    """Let `import tensorflow` mean placewise in a worker of Ray."""
    from placewise.tensorflow import hook

    hook.install("placewise")


def train_loop(config):
    """Train on one worker of several; goes on from the last checkpoint."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    rank = train.get_context().get_world_rank()
    with strategy.scope():
        w, done = tf.Variable(tf.zeros([3])), tf.Variable(0, dtype=tf.int64)
    saved = tf.train.Checkpoint(w=w, done=done)
    before = train.get_checkpoint()
    if before is not None:
        with before.as_directory() as folder:
            saved.restore(tf.train.latest_checkpoint(folder))
    begun_at = int(done.numpy())
    truth = tf.constant([1.0, -2.0, 0.5])

    @tf.function
    def step(x):
        def replica(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.linalg.matvec(x, w - truth) ** 2)
            context = tf.distribute.get_replica_context()
            gradient = context.all_reduce("mean", tape.gradient(loss, w))
            w.assign_sub(0.2 * gradient)
            return loss

        return strategy.run(replica, args=(x,))

    while int(done.numpy()) < STEPS:
        number = int(done.numpy())
        marker = Path(config["folder"], "killed")
        if rank == 1 and number == KILLED_AT and not marker.exists():
            marker.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        x = np.random.default_rng(10 * number + rank).normal(size=(32, 3)).astype("float32")
        loss = step(tf.constant(x))
        done.assign_add(1)
        with tempfile.TemporaryDirectory() as folder:
            saved.save(os.path.join(folder, "model"))
            metrics = {
                "loss": float(loss),
                "step": number + 1,
                "begun_at": begun_at,
                "device": w.values[0].device if hasattr(w, "values") else w.device,
                "module": tf.constant.__module__,
            }
            checkpoint = Checkpoint.from_directory(folder) if rank == 0 else None
            train.report(metrics, checkpoint=checkpoint)


if __name__ == "__main__":
    folder = sys.argv[1]
    # Workers load torch first, which takes its time on a busy machine.
    os.environ.setdefault("RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S", "300")
    hook = {"worker_process_setup_hook": use_placewise, "env_vars": {"OMP_NUM_THREADS": "1"}}
    ray.init(num_cpus=3, include_dashboard=False, runtime_env=hook, log_to_driver=True)
    trainer = TensorflowTrainer(
        train_loop,
        train_loop_config={"folder": folder},
        scaling_config=ScalingConfig(num_workers=2),
        run_config=RunConfig(
            storage_path=folder, name="run", failure_config=FailureConfig(max_failures=2)
        ),
    )
    result = trainer.fit()
    Path(folder, "result.json").write_text(json.dumps(result.metrics))
    ray.shutdown()
