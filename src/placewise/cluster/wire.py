"""The messages between tasks, and the methods that take them.

A private descriptor pool, as for TensorFlow's own messages. Every reply has a `status`: errors of
the runtime travel in it with their whole text, gRPC's own codes are for the connection.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from placewise.messages.build import Messages
from placewise.messages.tables import read

TABLE = """
file placewise/cluster.proto
  package placewise.cluster
  Status
    code 1 int32  # of tensorflow.error.Code; 0: no error
    message 2 string
    kind 3 string  # the Python class of an error that has no code, such as ValueError
    task 4 string  # the task that failed, if it is not the one that answers
  Handle  # state of a task: which operation makes it finds it
    device 1 string
    container 2 string
    name 3 string
    type 4 string
    kind 5 string
  Tensor  # the content is in the message, or follows as raw bytes
    dtype 1 int32
    shape 2 repeated int64
    content 3 bytes
    strings 4 repeated bytes
    following_bytes 5 int64
    key 6 int32  # which of the tensors of an exchange it is
    handle 7 Handle
    string_bytes 8 repeated int64  # lengths of the strings that follow as one run of bytes
  Shared  # tensors in memory of this host, see shared_memory.py
    process 1 int64
    descriptor 2 int32
    nonce 3 bytes  # the last bytes of the memory: it is the one that was meant
    tensors 4 repeated Tensor
  Device
    name 1 string
    kind 2 string
    memory_limit_bytes 3 int64
    incarnation 4 fixed64
    description 5 string
    unsupported_types 6 repeated string
    has_own_memory 7 bool
  Empty
  Reply
    status 15 Status

  DescribeRequest  # with a cluster: what the task is called there, which it takes over
    job 1 string
    task 2 int32
    cluster 3 bytes  # a tensorflow.ClusterDef
  DescribeReply
    devices 1 repeated Device
    job 2 string
    task 3 int32
    incarnation 4 fixed64
    cluster 5 bytes  # a tensorflow.ClusterDef
    status 15 Status

  Part  # what a task runs of a graph
    session 1 string
    graph_bytes 2 int64  # of the tensorflow.GraphDef that follows; nodes in the order they run
    fetches 3 repeated string  # tensors and operations
    feeds 4 repeated Argument
    receives 5 repeated Receive
    sends 6 repeated Send
    isolated 7 bool  # its state is the session's own
    soft 8 bool
    incarnation 9 fixed64  # of the task that the session began with; 0: any
    Argument  # a tensor that the part does not compute
      tensor 1 string
      dtype 2 int32
      shape 3 repeated int64  # -1 where it is not known
      unknown_rank 4 bool
    Receive
      argument 1 Argument  # none for a signal
      before 2 string  # a node of the part
      source 3 string  # the task it comes from
      key 4 int32
    Send
      tensor 1 string  # of a signal, the node
      after 2 string  # a node of the part; empty: at the start
      target 3 string
      key 4 int32
  RegisterReply
    part 1 int64
    status 15 Status

  RunRequest
    session 1 string
    part 2 int64
    step 3 fixed64
    feeds 4 repeated Tensor
    pushed 5 bool  # the feeds were pushed before
    timeout_seconds 6 double
    trace 7 bool
    with_graphs 8 bool
    settles 9 bool  # what the step sent and nobody read may be dropped when it ends
  RunReply
    fetches 1 repeated Tensor
    kept 2 int32  # how many fetches wait to be pulled, because they are large
    metadata 3 bytes  # a tensorflow.RunMetadata
    status 15 Status

  PullRequest
    step 1 fixed64
    target 2 string  # who asks
    count 3 int32  # how many tensors
  PushRequest
    step 1 fixed64
    target 2 string
    count 3 int32
  AbortRequest
    step 1 fixed64
    status 2 Status
  CloseRequest
    session 1 string
  ResetRequest
    containers 1 repeated string

  OpenRequest
    config 1 bytes  # a tensorflow.ConfigProto
    probe 2 Shared  # memory that the master can map if it is on the session's host
  OpenReply
    session 1 string
    devices 2 repeated Device
    probe 3 Shared  # the master's, if it could map the session's
    status 15 Status
  ExtendRequest
    session 1 string
    graph_bytes 2 int64  # of the tensorflow.GraphDef that follows
  PrepareRequest
    session 1 string
    fetches 2 repeated string
    feeds 3 repeated string
  PrepareReply
    run 1 int64
    status 15 Status
  StepRequest
    session 1 string
    run 2 int64
    feeds 3 repeated Tensor
    pushed 4 fixed64  # the step under which large feeds were pushed; 0: they are here
    timeout_seconds 5 double
    options 6 bytes  # a tensorflow.RunOptions, if metadata is asked for
    shared 7 Shared  # the feeds, if they are in memory
    shares 8 bool  # large fetches may be in shared memory
    release 9 bool  # no step: the fetches of the one before were mapped; not answered
  StepReply
    fetches 1 repeated Tensor
    kept 2 fixed64  # the step under which large fetches can be pulled
    count 3 int32
    metadata 4 bytes
    shared 5 Shared  # the fetches, if they are in memory
    status 15 Status

  RpcRequest  # of functions that programs serve by name
    method 1 string
    arguments 2 repeated Tensor
  RpcReply
    results 1 repeated Tensor
    status 15 Status
  RpcListReply
    methods 1 repeated Method
    status 15 Status
    Method
      name 1 string
      arguments 2 bytes  # a tensorflow.StructuredValue
      results 3 bytes
"""

WORKER = "placewise.cluster.Worker"
MASTER = "placewise.cluster.Master"
RPC = "placewise.cluster.Functions"
# Method → (kind, request, reply). "pull" answers with a stream of frames, "push" takes one; "chat"
# answers request by request on one stream, which takes half of the time of calls.
METHODS = {
    f"/{WORKER}/Describe": ("call", "DescribeRequest", "DescribeReply"),
    f"/{WORKER}/Register": ("push", "Part", "RegisterReply"),
    f"/{WORKER}/Run": ("call", "RunRequest", "RunReply"),
    f"/{WORKER}/Pull": ("pull", "PullRequest", "Tensor"),
    f"/{WORKER}/Push": ("push", "PushRequest", "Reply"),
    f"/{WORKER}/Abort": ("call", "AbortRequest", "Reply"),
    f"/{WORKER}/Close": ("call", "CloseRequest", "Reply"),
    f"/{WORKER}/Reset": ("call", "ResetRequest", "Reply"),
    f"/{MASTER}/Open": ("call", "OpenRequest", "OpenReply"),
    f"/{MASTER}/Extend": ("push", "ExtendRequest", "Reply"),
    f"/{MASTER}/Prepare": ("call", "PrepareRequest", "PrepareReply"),
    f"/{MASTER}/Step": ("call", "StepRequest", "StepReply"),
    f"/{MASTER}/Steps": ("chat", "StepRequest", "StepReply"),
    f"/{MASTER}/Close": ("call", "CloseRequest", "Reply"),
    f"/{MASTER}/Reset": ("call", "ResetRequest", "Reply"),
}
# Methods of `tf.distribute.experimental.rpc`, which servers of their own answer.
RPC_METHODS = {
    f"/{RPC}/Call": ("call", "RpcRequest", "RpcReply"),
    f"/{RPC}/List": ("call", "Empty", "RpcListReply"),
}


@cache
def _messages() -> Messages:
    return Messages(read([TABLE]), __name__, _new)


def _new(full_name: str) -> Any:
    return _messages().find(full_name)()


@cache
def message(name: str) -> Any:
    """Return the class of a message of the table, such as `RunRequest`."""
    return _messages().find(f"placewise.cluster.{name}")
