"""What a step cost: times and memory per node and device, allocator logs and maps."""

TABLE = """
file tensorflow/core/framework/step_stats.proto
  AllocationRecord
    alloc_micros 1 int64
    alloc_bytes 2 int64
  AllocatorMemoryUsed
    allocator_name 1 string
    total_bytes 2 int64
    peak_bytes 3 int64
    live_bytes 4 int64
    allocation_records 6 repeated AllocationRecord
    allocator_bytes_in_use 5 int64
  NodeOutput
    slot 1 int32
    tensor_description 3 TensorDescription
  MemoryStats
    temp_memory_size 1 int64
    persistent_memory_size 3 int64
    persistent_tensor_alloc_ids 5 repeated int64
    device_temp_memory_size 2 int64
    device_persistent_memory_size 4 int64
    device_persistent_tensor_alloc_ids 6 repeated int64
  NodeExecStats
    node_name 1 string
    all_start_micros 2 int64  # since the epoch; the rel_ ones since this
    op_start_rel_micros 3 int64
    op_end_rel_micros 4 int64
    all_end_rel_micros 5 int64
    memory 6 repeated AllocatorMemoryUsed
    output 7 repeated NodeOutput
    timeline_label 8 string
    scheduled_micros 9 int64
    thread_id 10 uint32
    referenced_tensor 11 repeated AllocationDescription
    memory_stats 12 MemoryStats
    all_start_nanos 13 int64
    op_start_rel_nanos 14 int64
    op_end_rel_nanos 15 int64
    all_end_rel_nanos 16 int64
    scheduled_nanos 17 int64
  DeviceStepStats
    device 1 string
    node_stats 2 repeated NodeExecStats
    thread_names 3 map<uint32,string>
  StepStats
    dev_stats 1 repeated DeviceStepStats

file tensorflow/core/framework/cost_graph.proto
  CostGraphDef
    node 1 repeated Node
    cost 2 repeated AggregatedCost
    Node
      name 1 string
      device 2 string
      id 3 int32
      input_info 4 repeated InputInfo
      output_info 5 repeated OutputInfo
      temporary_memory_size 6 int64
      persistent_memory_size 12 int64
      host_temp_memory_size 10 int64
      device_temp_memory_size 11 int64
      device_persistent_memory_size 16 int64
      compute_cost 9 int64  # microseconds
      compute_time 14 int64
      memory_time 15 int64
      is_final 7 bool
      control_input 8 repeated int32
      inaccurate 17 bool
      InputInfo
        preceding_node 1 int32
        preceding_port 2 int32
      OutputInfo
        size 1 int64
        alias_input_port 2 int64
        shape 3 TensorShapeProto
        dtype 4 DataType
    AggregatedCost
      cost 1 float
      dimension 2 string

file tensorflow/core/framework/log_memory.proto
  MemoryLogStep
    step_id 1 int64
    handle 2 string
  MemoryLogTensorAllocation
    step_id 1 int64
    kernel_name 2 string
    tensor 3 TensorDescription
  MemoryLogTensorDeallocation
    allocation_id 1 int64
    allocator_name 2 string
  MemoryLogTensorOutput
    step_id 1 int64
    kernel_name 2 string
    index 3 int32
    tensor 4 TensorDescription
  MemoryLogRawAllocation
    step_id 1 int64
    operation 2 string
    num_bytes 3 int64
    ptr 4 uint64
    allocation_id 5 int64
    allocator_name 6 string
  MemoryLogRawDeallocation
    step_id 1 int64
    operation 2 string
    allocation_id 3 int64
    allocator_name 4 string
    deferred 5 bool

# The state of a BFC allocator, written when memory runs out.
file xla/tsl/protobuf/bfc_memory_map.proto
  MemAllocatorStats
    num_allocs 1 int64
    bytes_in_use 2 int64
    peak_bytes_in_use 3 int64
    largest_alloc_size 4 int64
    fragmentation_metric 5 float
  MemChunk
    address 1 uint64
    size 2 int64
    requested_size 3 int64
    bin 4 int32
    op_name 5 string
    freed_at_count 6 uint64
    action_count 7 uint64
    in_use 8 bool
    step_id 9 uint64
  BinSummary
    bin 1 int32
    total_bytes_in_use 2 int64
    total_bytes_in_bin 3 int64
    total_chunks_in_use 4 int64
    total_chunks_in_bin 5 int64
  SnapShot
    action_count 1 uint64
    size 2 int64
  MemoryDump
    allocator_name 1 string
    bin_summary 2 repeated BinSummary
    chunk 3 repeated MemChunk
    snap_shot 4 repeated SnapShot
    stats 5 MemAllocatorStats

# Where TensorFlow programs import them from.
file tensorflow/core/protobuf/bfc_memory_map.proto
  public xla/tsl/protobuf/bfc_memory_map.proto
"""
