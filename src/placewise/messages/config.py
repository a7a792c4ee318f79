"""How a session is set up and run: ConfigProto, GPUOptions, RunOptions, RunMetadata.

RunMetadata's parts are in `step_stats.py`, RewriterConfig is in `rewriter.py`.
"""

TABLE = """
file tensorflow/core/protobuf/config.proto
  public xla/tsl/protobuf/rpc_options.proto  # RPCOptions stood here in TensorFlow 1
  GPUOptions
    per_process_gpu_memory_fraction 1 double  # above 1: unified memory
    allow_growth 4 bool
    allocator_type 2 string  # "BFC" or empty
    deferred_deletion_bytes 3 int64
    visible_device_list 5 string  # "1,0": physical ids, in the order they become GPU:0, GPU:1
    polling_active_delay_usecs 6 int32
    polling_inactive_delay_msecs 7 int32
    force_gpu_compatible 8 bool
    experimental 9 Experimental
    Experimental
      virtual_devices 1 repeated VirtualDevices
      num_virtual_devices_per_gpu 15 int32
      use_unified_memory 2 bool
      num_dev_to_dev_copy_streams 3 int32
      collective_ring_order 4 string
      timestamped_allocator 5 bool
      kernel_tracker_max_interval 7 int32
      kernel_tracker_max_bytes 8 int32
      kernel_tracker_max_pending 9 int32
      internal_fragmentation_fraction 10 double
      use_cuda_malloc_async 11 bool
      disallow_retry_on_allocation_failure 12 bool
      gpu_host_mem_limit_in_mb 13 float
      gpu_host_mem_disallow_growth 14 bool
      gpu_system_memory_size_in_mb 16 int32
      populate_pjrt_gpu_client_creation_info 17 bool
      node_id 18 int32
      stream_merge_options 19 StreamMergeOptions
      VirtualDevices
        memory_limit_mb 1 repeated float  # one logical device each
        priority 2 repeated int32
        device_ordinal 3 repeated int32
      StreamMergeOptions
        merge_host_to_device_stream 1 bool
        merge_device_to_host_stream 2 bool
        merge_device_to_device_stream 3 bool
  OptimizerOptions
    do_common_subexpression_elimination 1 bool
    do_constant_folding 2 bool
    max_folded_constant_in_bytes 6 int64
    do_function_inlining 4 bool
    opt_level 3 Level
    global_jit_level 5 GlobalJitLevel  # XLA
    cpu_global_jit 7 bool
    enum Level
      L1 0, L0 -1
    enum GlobalJitLevel
      DEFAULT 0, OFF -1, ON_1 1, ON_2 2
  GraphOptions
    enable_recv_scheduling 2 bool
    optimizer_options 3 OptimizerOptions
    build_cost_model 4 int64
    build_cost_model_after 9 int64
    infer_shapes 5 bool
    place_pruned_graph 6 bool
    enable_bfloat16_sendrecv 7 bool
    timeline_step 8 int32
    rewrite_options 10 RewriterConfig
  ThreadPoolOptionProto
    num_threads 1 int32
    global_name 2 string
  SessionMetadata
    name 1 string
    version 2 int64
  ConfigProto
    device_count 1 map<string,int32>  # {"GPU": 0} hides them all
    intra_op_parallelism_threads 2 int32
    inter_op_parallelism_threads 5 int32
    use_per_session_threads 9 bool
    session_inter_op_thread_pool 12 repeated ThreadPoolOptionProto
    placement_period 3 int32
    device_filters 4 repeated string
    gpu_options 6 GPUOptions
    pluggable_device_options 18 GPUOptions
    allow_soft_placement 7 bool
    log_device_placement 8 bool
    graph_options 10 GraphOptions
    operation_timeout_in_ms 11 int64
    rpc_options 13 RPCOptions
    cluster_def 14 ClusterDef
    isolate_session_state 15 bool
    share_cluster_devices_in_session 17 bool
    experimental 16 Experimental
    Experimental
      collective_group_leader 1 string
      executor_type 3 string
      recv_buf_max_chunk 4 int32
      use_numa_affinity 5 bool
      collective_deterministic_sequential_execution 6 bool
      collective_nccl 7 bool
      share_session_state_in_clusterspec_propagation 8 bool
      disable_thread_spinning 9 bool
      share_cluster_devices_in_session 10 bool
      session_metadata 11 SessionMetadata
      optimize_for_static_graph 12 bool
      enable_mlir_bridge 13 bool
      mlir_bridge_rollout 17 MlirBridgeRollout
      enable_mlir_graph_optimization 16 bool
      disable_output_partition_graphs 14 bool
      xla_fusion_autotuner_thresh 15 int64
      use_tfrt 18 bool
      enable_multi_host 27 bool
      tfrt_use_ifrt 32 bool
      backend_server_port 28 int32
      target_tpu 29 bool
      target_gpu 30 bool
      stream_merge_threshold 31 int32
      disable_functional_ops_lowering 21 bool
      xla_prefer_single_graph_cluster 22 bool
      coordination_config 23 CoordinationServiceConfig
      disable_optimize_for_static_graph 24 bool
      disable_eager_executor_streaming_enqueue 26 bool
      finalize_function_library_runtime 33 bool
      finalize_resource_manager 34 bool
      tf2xla_dump_dir 35 string
      online_cost_analysis 36 bool
      enum MlirBridgeRollout
        MLIR_BRIDGE_ROLLOUT_UNSPECIFIED 0, MLIR_BRIDGE_ROLLOUT_ENABLED 1,
        MLIR_BRIDGE_ROLLOUT_DISABLED 2
  RunOptions
    trace_level 1 TraceLevel
    timeout_in_ms 2 int64  # 0 waits forever
    inter_op_thread_pool 3 int32
    output_partition_graphs 5 bool
    debug_options 6 DebugOptions
    report_tensor_allocations_upon_oom 7 bool
    experimental 8 Experimental
    enum TraceLevel
      NO_TRACE 0, SOFTWARE_TRACE 1, HARDWARE_TRACE 2, FULL_TRACE 3
    Experimental
      collective_graph_key 1 int64
      use_run_handler_pool 2 bool
      run_handler_pool_options 3 RunHandlerPoolOptions
      RunHandlerPoolOptions
        priority 1 int64
  RunMetadata
    step_stats 1 StepStats
    cost_graph 2 CostGraphDef
    partition_graphs 3 repeated GraphDef
    function_graphs 4 repeated FunctionGraphs
    session_metadata 5 SessionMetadata
    FunctionGraphs
      partition_graphs 1 repeated GraphDef
      pre_optimization_graph 2 GraphDef
      post_optimization_graph 3 GraphDef
  TensorConnection
    from_tensor 1 string
    to_tensor 2 string
  CallableOptions
    feed 1 repeated string
    fetch 2 repeated string
    target 3 repeated string
    run_options 4 RunOptions
    tensor_connection 5 repeated TensorConnection
    feed_devices 6 map<string,string>
    fetch_devices 7 map<string,string>
    fetch_skip_sync 8 bool
  BatchingOptions
    num_batch_threads 1 int32
    max_batch_size 2 int32
    batch_timeout_micros 3 int32
    allowed_batch_sizes 4 repeated int32
    max_enqueued_batches 5 int32
"""
