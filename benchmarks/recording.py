"""What recording for a report costs: a step of examples/cifar10_multi_gpu.py with it and without.

Steps with and without it take turns, so that what else the machine does counts for both alike.
"""

import importlib.util
import statistics
import sys
import time
from pathlib import Path

from placewise.core import environment

STEPS = 200
BATCH, WIDTH = 32, 64


def example():
    """Return the example as a module, with `tensorflow` meaning placewise."""
    environment.put("PLACEWISE_SIMULATE", "4xK20m")
    from placewise.tensorflow import hook

    hook.install("placewise.v1")
    file = Path(__file__).parents[1] / "examples" / "cifar10_multi_gpu.py"
    spec = importlib.util.spec_from_file_location("cifar10_multi_gpu", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.FLAGS([sys.argv[0], f"--batch_size={BATCH}", f"--width={WIDTH}"])
    return module


def main():
    module = example()
    tf = module.tf
    from placewise.core.scope import watch
    from placewise.profiler.recorder import Recorder

    with tf.Graph().as_default(), tf.device("/cpu:0"):
        tf.set_random_seed(1)
        step, loss, _ = module.build()
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run([step, loss])
            recorder = Recorder()
            recorder.start()
            heard, plain, recorded = watch.unit, [], []
            for _ in range(STEPS):
                watch.unit = heard
                begun = time.perf_counter()
                session.run([step, loss])
                recorded.append(time.perf_counter() - begun)
                watch.unit = None
                recorder._want(False)
                begun = time.perf_counter()
                session.run([step, loss])
                plain.append(time.perf_counter() - begun)
            watch.unit = heard
            recording = recorder.stop()
    detailed = {run.number - 1 for run in recording.runs if run.is_detailed}
    inside = [recorded[n] / plain[n] for n in sorted(detailed)[1:]]
    outside = [recorded[n] / plain[n] for n in range(STEPS) if n not in detailed]
    print(f"{STEPS} steps of {1000 * statistics.median(plain):.1f} ms, {len(detailed)} in detail")
    print(f"a step that is timed only: {100 * (statistics.median(outside) - 1):+.1f} %")
    print(f"a step recorded in detail: {100 * (statistics.median(inside) - 1):+.1f} %")
    print(f"all steps together: {100 * (sum(recorded) / sum(plain) - 1):+.1f} %")


if __name__ == "__main__":
    main()
