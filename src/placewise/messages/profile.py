"""tfprof: the logs, options and results of `tf.profiler.profile`."""

TABLE = """
file tensorflow/core/profiler/tfprof_log.proto
  package tensorflow.tfprof
  CodeDef
    traces 1 repeated Trace
    Trace
      file_id 6 int64
      lineno 2 int32
      function_id 7 int64
      line_id 8 int64
      func_start_line 5 int32
      file 1 string  # this and the next two: TensorFlow 1 only, before strings had ids
      function 3 string
      line 4 string
  OpLogEntry
    name 1 string
    float_ops 2 int64
    types 3 repeated string
    code_def 4 CodeDef
  OpLogProto
    log_entries 1 repeated OpLogEntry
    id_to_string 2 map<int64,string>
  ProfileProto
    nodes 1 map<int64,ProfileNode>
    has_trace 2 bool
    miss_accelerator_stream 5 bool
    steps 3 repeated int64
    id_to_string 4 map<int64,string>
  ProfileNode
    name 1 string
    op 9 string
    id 13 int64
    inputs 2 map<int32,int64>
    input_shapes 16 map<int32,Tuple>
    outputs 3 map<int32,int64>
    output_shapes 15 map<int32,Tuple>
    src_output_index 14 map<int64,int32>
    shape 4 repeated int64
    op_types 5 repeated string
    canonical_device 6 string
    host_device 7 string
    float_ops 8 int64
    trace 10 CodeDef
    attrs 11 map<string,AttrValue>
    execs 12 map<int64,ExecProfile>
  ExecProfile
    run_count 1 int64
    all_start_micros 2 int64
    latest_end_micros 3 int64
    accelerator_execs 4 map<string,ExecTime>
    cpu_execs 5 map<string,ExecTime>
    memory_execs 7 repeated ExecMemory
    allocations 11 repeated AllocationRecord
    devices 6 repeated string
  ExecTime
    times 1 repeated Tuple
  ExecMemory
    memory_micros 1 int64
    host_temp_bytes 2 int64
    host_persistent_bytes 3 int64
    accelerator_temp_bytes 4 int64
    accelerator_persistent_bytes 5 int64
    requested_bytes 6 int64
    peak_bytes 7 int64
    residual_bytes 8 int64
    output_bytes 9 int64
    allocator_bytes_in_use 10 int64
    output_memory 11 map<int32,Memory>
  Tuple
    int64_values 1 repeated int64
  Memory
    bytes 1 int64
    ptr 2 uint64

file tensorflow/core/profiler/tfprof_options.proto
  package tensorflow.tfprof
  OptionsProto
    max_depth 1 int64
    min_bytes 2 int64
    min_peak_bytes 19 int64
    min_residual_bytes 20 int64
    min_output_bytes 21 int64
    min_micros 3 int64
    min_accelerator_micros 22 int64
    min_cpu_micros 23 int64
    min_params 4 int64
    min_float_ops 5 int64
    min_occurrence 17 int64
    step 18 int64
    order_by 7 string
    account_type_regexes 8 repeated string
    start_name_regexes 9 repeated string
    trim_name_regexes 10 repeated string
    show_name_regexes 11 repeated string
    hide_name_regexes 12 repeated string
    account_displayed_op_only 13 bool
    select 14 repeated string
    output 15 string
    dump_to_file 16 string
  AdvisorOptionsProto
    checkers 1 map<string,CheckerOption>
    CheckerOption
      options 1 map<string,string>

file tensorflow/core/profiler/tfprof_output.proto
  package tensorflow.tfprof
  TFProfTensorProto
    dtype 1 DataType
    value_double 2 repeated double
    value_int64 3 repeated int64
    value_str 4 repeated string
  GraphNodeProto
    name 1 string
    tensor_value 15 TFProfTensorProto
    run_count 21 int64
    exec_micros 2 int64
    accelerator_exec_micros 17 int64
    cpu_exec_micros 18 int64
    requested_bytes 3 int64
    peak_bytes 24 int64
    residual_bytes 25 int64
    output_bytes 26 int64
    parameters 4 int64
    float_ops 13 int64
    devices 10 repeated string
    total_definition_count 23 int64
    total_run_count 22 int64
    total_exec_micros 6 int64
    total_accelerator_exec_micros 19 int64
    total_cpu_exec_micros 20 int64
    total_requested_bytes 7 int64
    total_peak_bytes 27 int64
    total_residual_bytes 28 int64
    total_output_bytes 29 int64
    total_parameters 8 int64
    total_float_ops 14 int64
    shapes 11 repeated TensorShapeProto
    input_shapes 16 map<int32,TensorShapeProto>
    children 12 repeated GraphNodeProto
  MultiGraphNodeProto
    name 1 string
    exec_micros 2 int64
    accelerator_exec_micros 12 int64
    cpu_exec_micros 13 int64
    requested_bytes 3 int64
    peak_bytes 16 int64
    residual_bytes 17 int64
    output_bytes 18 int64
    parameters 4 int64
    float_ops 5 int64
    total_exec_micros 6 int64
    total_accelerator_exec_micros 14 int64
    total_cpu_exec_micros 15 int64
    total_requested_bytes 7 int64
    total_peak_bytes 19 int64
    total_residual_bytes 20 int64
    total_output_bytes 21 int64
    total_parameters 8 int64
    total_float_ops 9 int64
    graph_nodes 10 repeated GraphNodeProto
    children 11 repeated MultiGraphNodeProto
  AdviceProto
    checkers 1 map<string,Checker>
    Checker
      reports 2 repeated string
"""
