"""What the debugger (tfdbg, versions 1 and 2) watches and records."""

TABLE = """
file tensorflow/core/protobuf/debug.proto
  DebugTensorWatch
    node_name 1 string
    output_slot 2 int32
    debug_ops 3 repeated string
    debug_urls 4 repeated string
    tolerate_debug_op_creation_failures 5 bool
  DebugOptions
    debug_tensor_watch_opts 4 repeated DebugTensorWatch
    global_step 10 int64
    reset_disk_byte_usage 11 bool
  DebuggedSourceFile
    host 1 string
    file_path 2 string
    last_modified 3 int64
    bytes 4 int64
    lines 5 repeated string
  DebuggedSourceFiles
    source_files 1 repeated DebuggedSourceFile

file tensorflow/core/protobuf/debug_event.proto
  enum TensorDebugMode
    UNSPECIFIED 0, NO_TENSOR 1, CURT_HEALTH 2, CONCISE_HEALTH 3, FULL_HEALTH 4, SHAPE 5,
    FULL_NUMERICS 6, FULL_TENSOR 7, REDUCE_INF_NAN_THREE_SLOTS 8
  DebugEvent
    wall_time 1 double
    step 2 int64
    oneof what
      debug_metadata 3 DebugMetadata
      source_file 4 SourceFile
      stack_frame_with_id 6 StackFrameWithId
      graph_op_creation 7 GraphOpCreation
      debugged_graph 8 DebuggedGraph
      execution 9 Execution
      graph_execution_trace 10 GraphExecutionTrace
      graph_id 11 string
      debugged_device 12 DebuggedDevice
  DebugMetadata
    tensorflow_version 1 string
    file_version 2 string
    tfdbg_run_id 3 string
  SourceFile
    file_path 1 string
    host_name 2 string
    lines 3 repeated string
  StackFrameWithId
    id 1 string
    file_line_col 2 GraphDebugInfo.FileLineCol
  CodeLocation
    host_name 1 string
    stack_frame_ids 2 repeated string
  GraphOpCreation
    op_type 1 string
    op_name 2 string
    graph_name 3 string
    graph_id 4 string
    device_name 5 string
    input_names 6 repeated string
    num_outputs 7 int32
    code_location 8 CodeLocation
    output_tensor_ids 9 repeated int32
  DebuggedGraph
    graph_id 1 string
    graph_name 2 string
    instrumented_ops 3 repeated string
    original_graph_def 4 bytes
    instrumented_graph_def 5 bytes
    outer_context_id 6 string
  DebuggedDevice
    device_name 1 string
    device_id 2 int32
  Execution
    op_type 1 string
    num_outputs 2 int32
    graph_id 3 string
    input_tensor_ids 4 repeated int64
    output_tensor_ids 5 repeated int64
    tensor_debug_mode 6 TensorDebugMode
    tensor_protos 7 repeated TensorProto
    code_location 8 CodeLocation
    output_tensor_device_ids 9 repeated int32
  GraphExecutionTrace
    tfdbg_context_id 1 string
    op_name 2 string
    output_slot 3 int32
    tensor_debug_mode 4 TensorDebugMode
    tensor_proto 5 TensorProto
    device_name 6 string
"""
