"""Messages as TensorFlow itself makes them, small ones; called by `record.py` in both eras."""

import os
import tempfile


def settings(v1):
    """Return messages a user writes."""
    yield "empty", v1.ConfigProto()
    yield "growth", v1.ConfigProto(gpu_options=v1.GPUOptions(allow_growth=True))
    config = v1.ConfigProto(allow_soft_placement=True, log_device_placement=True)
    config.gpu_options.per_process_gpu_memory_fraction = 0.4
    config.gpu_options.visible_device_list = "1,0"
    config.gpu_options.experimental.virtual_devices.add(memory_limit_mb=[1024, 2048.5])
    config.device_count["GPU"] = 0
    config.device_count["CPU"] = 4
    config.intra_op_parallelism_threads = -1
    config.graph_options.optimizer_options.opt_level = v1.OptimizerOptions.L0
    config.graph_options.optimizer_options.global_jit_level = v1.OptimizerOptions.ON_1
    config.graph_options.rewrite_options.optimizers.append("constfold")
    config.session_inter_op_thread_pool.add(num_threads=2, global_name="é\n\"'\x01")
    config.experimental.collective_group_leader = "/job:worker/replica:0/task:0"
    yield "config", config
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, timeout_in_ms=2**40)
    options.report_tensor_allocations_upon_oom = True
    yield "run options", options
    yield (
        "histogram",
        v1.HistogramProto(min=-1.5, max=1e300, num=3, bucket_limit=[0.1, 1e20], bucket=[1, 2]),
    )
    yield "log", v1.LogMessage(level=v1.LogMessage.ERROR, message="out of memory")
    yield "session log", v1.SessionLog(status=v1.SessionLog.CHECKPOINT, checkpoint_path="/tmp/x")
    cluster = {"ps": ["a:1"], "worker": {1: "b:2", 0: "c:3"}}
    yield "cluster", v1.train.ClusterSpec(cluster).as_cluster_def()
    value = v1.Summary.Value(tag="loss", simple_value=0.1)
    event = v1.Event(wall_time=1.5, step=-7, summary=v1.Summary(value=[value]))
    yield "event", event
    image = v1.Summary.Image(height=2, width=3, colorspace=4, encoded_image_string=b"\x89PNG\x00")
    yield "image", v1.Summary(value=[v1.Summary.Value(tag="i", node_name="n", image=image)])


def examples(tf):
    """Return training examples."""
    features = {
        "words": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a\xff", "ö".encode()])),
        "weights": tf.train.Feature(float_list=tf.train.FloatList(value=[0.1, -0.0, float("inf")])),
        "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -1, 2**62])),
        "none": tf.train.Feature(),
    }
    yield "example", tf.train.Example(features=tf.train.Features(feature=features))
    steps = tf.train.FeatureList(feature=[features["ids"], features["words"]])
    yield (
        "sequence",
        tf.train.SequenceExample(
            context=tf.train.Features(feature={"ids": features["ids"]}),
            feature_lists=tf.train.FeatureLists(feature_list={"steps": steps}),
        ),
    )


def tensors(tf):
    """Return a tensor of each kind of value."""
    import numpy as np

    yield "floats", tf.compat.v1.make_tensor_proto(np.arange(3, dtype=np.float32))
    yield "float", tf.compat.v1.make_tensor_proto(1.5)
    whole, others = "int8 uint16 int64 uint64 bool", "float16 float64 complex64 complex128"
    for kind in (whole + " " + others).split():
        yield kind, tf.compat.v1.make_tensor_proto(np.ones((), kind))
    yield "strings", tf.compat.v1.make_tensor_proto([b"a", b"\x00\xfe", b""])
    yield "shape", tf.TensorShape([None, 3]).as_proto()
    yield "no rank", tf.TensorShape(None).as_proto()


def graphs(tf):
    """Return graphs, what a run of one leaves, and how they are saved."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        with tf.device("/CPU:0"):
            x = v1.placeholder(tf.float32, [None, 2], name="x")
        w = v1.get_variable("w", [2, 1], use_resource=True, partitioner=None)
        y = tf.matmul(x, w, name="y")
        with tf.control_dependencies([y]):
            v1.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2))
        saver = v1.train.Saver(max_to_keep=3)
        queue = tf.queue.FIFOQueue(3, [tf.float32])
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(1.0)]))
        yield "node", y.op.node_def
        yield "graph", graph.as_graph_def()
        yield "op", y.op.op_def
        yield "saver", saver.as_saver_def()
        yield "variable", w.to_proto()
        meta_graph = v1.train.export_meta_graph()
        meta_graph.ClearField("graph_def")
        del meta_graph.meta_info_def.stripped_op_list.op[3:]
        yield "meta graph", meta_graph
        metadata = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        with v1.Session(graph=graph) as session:
            session.run(w.initializer)
            session.run(y, {x: [[1, 2]]}, options=options, run_metadata=metadata)
        metadata.ClearField("partition_graphs")
        yield "run metadata", metadata
        signature = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
        yield "signature", signature


def devices(tf):
    """Return the devices of the machine it ran on."""
    from tensorflow.python.client import device_lib

    for index, device in enumerate(device_lib.list_local_devices()[:2]):
        yield f"device {index}", device


def files(tf):
    """Return what TensorFlow 2 saves."""
    from tensorflow.core.framework.graph_pb2 import GraphDef
    from tensorflow.core.protobuf.saved_model_pb2 import SavedModel
    from tensorflow.core.protobuf.trackable_object_graph_pb2 import TrackableObjectGraph

    with tempfile.TemporaryDirectory() as folder:
        model = tf.Module()
        model.v = tf.Variable(2.0, name="v")
        signature = [tf.TensorSpec([None], tf.float32, "x")]
        model.f = tf.function(lambda x: x * model.v, input_signature=signature)
        path = tf.train.Checkpoint(model=model).save(os.path.join(folder, "c"))
        saved = tf.train.load_checkpoint(path).get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH")
        yield "object graph", TrackableObjectGraph.FromString(saved)
        yield "checkpoint state", tf.train.get_checkpoint_state(folder)
        tf.saved_model.save(model, folder)
        with open(os.path.join(folder, "saved_model.pb"), "rb") as stream:
            whole = SavedModel.FromString(stream.read())
        yield "saved object graph", whole.meta_graphs[0].object_graph_def
        library = whole.meta_graphs[0].graph_def.library
        del library.function[1:]
        yield "library", GraphDef(library=library)


def samples(tf):
    """Return (name, message) of every sample this TensorFlow can make."""
    v1 = tf.compat.v1
    for source in (settings, examples, tensors, graphs, devices):
        yield from source(v1 if source is settings else tf)
    if tf.__version__.startswith("2"):
        yield from files(tf)
