"""Requests as a session makes them, and mutations of them; and a server process to send them to."""

import random
import time

import grpc
import numpy as np

import placewise.v1 as tf
from placewise.cluster.tensors import to_frames
from placewise.cluster.wire import MASTER, METHODS, message


def requests(address):
    """Return (path, frames) of every method: what a session would send to a server."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.Variable([1.0, 2.0], name="v")
        tf.add(tf.cond(x[0] > 0, lambda: x * 2.0, lambda: x), v, name="y")
    graph_def = graph.as_graph_def().SerializeToString()
    channel = grpc.insecure_channel(address)
    opened = send(channel, f"/{MASTER}/Open", [message("OpenRequest")().SerializeToString()])
    session = message("OpenReply").FromString(opened).session
    tensor = next(to_frames(np.ones(2, "f")))
    part = message("Part")(session="s", graph_bytes=len(graph_def), fetches=["x:0", "y:0"])
    part.feeds.add(tensor="other:0", dtype=1, shape=[2])
    part.receives.add(before="y", source="/job:local/task:0", key=1)
    part.sends.add(tensor="y:0", after="y", target="/job:local/task:0", key=2)
    made = {
        "Describe": message("DescribeRequest")(),
        "Run": message("RunRequest")(session="s", part=1, step=5, timeout_seconds=0.2),
        "Pull": message("PullRequest")(step=77, target="t", count=1),
        "Abort": message("AbortRequest")(step=9),
        "Close": message("CloseRequest")(session="none"),
        "Reset": message("ResetRequest")(containers=["c"]),
        "Open": message("OpenRequest")(config=tf.ConfigProto().SerializeToString()),
        "Prepare": message("PrepareRequest")(session=session, fetches=["y:0"], feeds=["x:0"]),
        "Step": message("StepRequest")(session=session, run=1, timeout_seconds=0.2),
    }
    extend = message("ExtendRequest")(session=session, graph_bytes=len(graph_def))
    push = message("PushRequest")(step=5, target="feeds", count=1)
    made["Abort"].status.code = 3
    made["Steps"] = made["Step"]
    made["Step"].feeds.add().ParseFromString(tensor)
    made["Run"].feeds.add().ParseFromString(tensor)
    streams = {
        "Register": [part.SerializeToString(), graph_def],
        "Extend": [extend.SerializeToString(), graph_def],
        "Push": [push.SerializeToString(), tensor],
    }
    found = []
    for path in METHODS:
        name = path.rpartition("/")[2]
        found.append((path, streams.get(name) or [made[name].SerializeToString()]))
    # Through to a step: the fuzzed ones then begin with a session that works.
    for name in ("Extend", "Prepare", "Step"):
        path = f"/{MASTER}/{name}"
        send(channel, path, next(frames for known, frames in found if known == path))
    return found


def send(channel, path, frames, timeout=2.0):
    """Send frames to a method; return the last reply, or gRPC's error."""
    kind = METHODS[path][0]
    try:
        if kind == "call":
            return channel.unary_unary(path)(frames[0], timeout=timeout)
        if kind == "chat":
            return list(channel.stream_stream(path)(iter(frames), timeout=timeout))
        if kind == "push":
            return channel.stream_unary(path)(iter(frames), timeout=timeout)
        return b"".join(channel.unary_stream(path)(frames[0], timeout=min(timeout, 0.05)))
    except grpc.RpcError as problem:
        return problem


def mutated(frames, choose):
    """Return frames with something wrong in them."""
    frames = [bytearray(frame) for frame in frames]
    for _ in range(choose.choice([1, 1, 2, 4, 16])):
        frame = choose.choice(frames)
        how = choose.randrange(7)
        at = choose.randrange(len(frame)) if frame else 0
        if how == 0 and frame:
            frame[at] ^= 1 << choose.randrange(8)
        elif how == 1 and frame:
            frame[at] = choose.choice([0, 1, 0x7F, 0x80, 0xFF])
        elif how == 2:
            del frame[at:]
        elif how == 3:
            frame[at:at] = choose.randbytes(choose.choice([1, 8, 200]))
        elif how == 4:
            frame[at:at] = frame[: choose.randrange(64)]
        elif how == 5 and len(frames) > 1:
            choose.shuffle(frames)
        else:
            frames.append(bytearray(choose.randbytes(choose.choice([0, 1, 5000]))))
    return [bytes(frame) for frame in frames]


def attack(address, count, seed=0):
    """Send so many mutated requests to a server; return how many got an answer of any kind."""
    choose = random.Random(seed)
    channel = grpc.insecure_channel(address)
    known = requests(address)
    answered = 0
    for _ in range(count):
        path, frames = choose.choice(known)
        answered += send(channel, path, mutated(frames, choose)) is not None
    return answered


def is_well(address):
    """Return whether a server still runs a step for a new session, and in time."""
    begin = time.monotonic()
    with tf.Graph().as_default(), tf.Session(f"grpc://{address}") as session:
        return session.run(tf.constant(2.0) * 3.0) == 6.0 and time.monotonic() - begin < 10
