"""tf.data: options, the autotuner's model, elements, snapshots, the data service."""

TABLE = """
file tensorflow/core/framework/dataset.proto
  package tensorflow.data
  CompressedComponentMetadata
    dtype 1 DataType
    tensor_shape 2 TensorShapeProto
    uncompressed_bytes 4 repeated uint64
  CompressedElement
    data 1 bytes
    component_metadata 2 repeated CompressedComponentMetadata
    version 3 int32
  UncompressedElement
    components 1 repeated TensorProto

file tensorflow/core/framework/dataset_metadata.proto
  package tensorflow.data
  Metadata
    name 1 bytes
    data_service_address 2 string

file tensorflow/core/framework/dataset_options.proto
  package tensorflow.data
  enum AutoShardPolicy
    AUTO 0, FILE 1, DATA 2, HINT 3, OFF -1
  enum ExternalStatePolicy
    POLICY_WARN 0, POLICY_IGNORE 1, POLICY_FAIL 2
  AutotuneOptions
    oneof optional_enabled
      enabled 1 bool
    oneof optional_cpu_budget
      cpu_budget 2 int32
    oneof optional_ram_budget
      ram_budget 3 int64
    oneof optional_autotune_algorithm
      autotune_algorithm 4 model.AutotuneAlgorithm
    oneof optional_initial_parallelism
      initial_parallelism 5 int64
    oneof optional_min_parallelism
      min_parallelism 6 int64
  CardinalityOptions
    compute_level 1 ComputeLevel
    enum ComputeLevel
      CARDINALITY_COMPUTE_UNSPECIFIED 0, CARDINALITY_COMPUTE_LOW 1,
      CARDINALITY_COMPUTE_MODERATE 2
  DistributeOptions
    auto_shard_policy 1 AutoShardPolicy
    oneof optional_num_devices
      num_devices 2 int32
  OptimizationOptions
    oneof optional_apply_default_optimizations
      apply_default_optimizations 1 bool
    oneof optional_filter_fusion
      filter_fusion 6 bool
    oneof optional_map_and_batch_fusion
      map_and_batch_fusion 9 bool
    oneof optional_map_and_filter_fusion
      map_and_filter_fusion 10 bool
    oneof optional_map_fusion
      map_fusion 11 bool
    oneof optional_map_parallelization
      map_parallelization 12 bool
    oneof optional_noop_elimination
      noop_elimination 14 bool
    oneof optional_parallel_batch
      parallel_batch 15 bool
    oneof optional_shuffle_and_repeat_fusion
      shuffle_and_repeat_fusion 17 bool
    oneof optional_filter_parallelization
      filter_parallelization 18 bool
    oneof optional_inject_prefetch
      inject_prefetch 19 bool
    oneof optional_seq_interleave_prefetch
      seq_interleave_prefetch 21 bool
  ServiceOptions
    oneof optional_pinned
      pinned 1 bool
  ThreadingOptions
    oneof optional_max_intra_op_parallelism
      max_intra_op_parallelism 1 int32
    oneof optional_private_threadpool_size
      private_threadpool_size 2 int32
  Options
    oneof optional_dataset_name
      dataset_name 10 string
    framework_type 11 repeated string
    oneof optional_deterministic
      deterministic 1 bool
    autotune_options 7 AutotuneOptions
    distribute_options 2 DistributeOptions
    optimization_options 3 OptimizationOptions
    service_options 12 ServiceOptions
    oneof optional_slack
      slack 4 bool
    threading_options 5 ThreadingOptions
    oneof optional_external_state_policy
      external_state_policy 6 ExternalStatePolicy
    oneof optional_symbolic_checkpoint
      symbolic_checkpoint 8 bool
    oneof optional_warm_start
      warm_start 9 bool

file tensorflow/core/framework/model.proto
  package tensorflow.data.model
  enum NodeClass
    UNKNOWN 0, INTERLEAVE_MANY 1, ASYNC_INTERLEAVE_MANY 2, KNOWN_RATIO 3, ASYNC_KNOWN_RATIO 4,
    UNKNOWN_RATIO 5, ASYNC_UNKNOWN_RATIO 6
  enum AutotuneAlgorithm
    DEFAULT 0, HILL_CLIMB 1, GRADIENT_DESCENT 2, MAX_PARALLELISM 3, STAGE_BASED 4
  ModelProto
    dataset_name 7 string
    nodes 1 map<int64,Node>
    output 2 int64
    id_counter 3 int64
    optimization_params 5 OptimizationParams
    gap_times 6 repeated uint64
    Node
      id 1 int64
      name 2 string
      autotune 3 bool
      buffered_bytes 4 int64
      buffered_elements 5 int64
      bytes_consumed 6 int64
      bytes_produced 7 int64
      num_elements 8 int64
      processing_time 9 int64
      record_metrics 10 bool
      parameters 11 repeated Parameter
      input_processing_time_sum 12 double
      input_processing_time_count 13 int64
      inputs 14 repeated int64
      node_class 15 NodeClass
      ratio 16 double
      memory_ratio 17 double
      Parameter
        name 1 string
        value 2 double
        state_value 3 double
        min 4 double
        max 5 double
        tunable 6 bool
    OptimizationParams
      algorithm 1 AutotuneAlgorithm
      cpu_budget 2 int64
      ram_budget 3 int64
      model_input_time 4 double

file tensorflow/core/protobuf/data_service.proto
  package tensorflow.data
  enum DeploymentMode
    DEPLOYMENT_MODE_UNSPECIFIED 0, DEPLOYMENT_MODE_COLOCATED 1, DEPLOYMENT_MODE_REMOTE 2,
    DEPLOYMENT_MODE_HYBRID 3
  ProcessingModeDef
    sharding_policy 1 ShardingPolicy
    enum ShardingPolicy
      OFF 0, DYNAMIC 1, FILE 2, DATA 3, FILE_OR_DATA 4, HINT 5
  DataServiceMetadata
    oneof optional_element_spec
      element_spec 1 bytes
    compression 2 Compression
    cardinality 3 int64
    enum Compression
      COMPRESSION_UNSPECIFIED 0, COMPRESSION_OFF 1, COMPRESSION_SNAPPY 2,
      COMPRESSION_FORCED_SNAPPY 3
  CrossTrainerCacheOptions
    trainer_id 1 string
  DataServiceConfig
    deployment_mode 1 DeploymentMode

file tensorflow/core/protobuf/service_config.proto
  package tensorflow.data.experimental
  DispatcherConfig
    port 1 int64
    protocol 2 string
    work_dir 3 string
    fault_tolerant_mode 4 bool
    worker_addresses 7 repeated string
    deployment_mode 9 DeploymentMode
    job_gc_check_interval_ms 5 int64
    job_gc_timeout_ms 6 int64
    gc_dynamic_sharding_jobs 11 bool
    client_timeout_ms 8 int64
    worker_timeout_ms 10 int64
    worker_max_concurrent_snapshots 12 int64
  WorkerConfig
    port 1 int64
    protocol 2 string
    dispatcher_address 3 string
    worker_address 4 string
    worker_tags 10 repeated string
    heartbeat_interval_ms 5 int64
    dispatcher_timeout_ms 6 int64
    data_transfer_protocol 7 string
    data_transfer_port 13 int64
    data_transfer_address 8 string
    cross_trainer_cache_size_bytes 11 int64
    snapshot_max_chunk_size_bytes 12 int64
    shutdown_quiet_period_ms 9 int64

file tensorflow/core/protobuf/snapshot.proto
  package tensorflow.data.experimental
  SnapshotRecord
    tensor 1 repeated TensorProto
  SnapshotMetadataRecord
    graph_hash 1 string
    run_id 2 string
    creation_timestamp 3 int64
    version 4 int64
    dtype 5 repeated DataType
    num_elements 6 int64
    finalized 1000 bool
  TensorMetadata
    tensor_shape 2 TensorShapeProto
    tensor_size_bytes 3 int64
  SnapshotTensorMetadata
    tensor_metadata 1 repeated TensorMetadata
  DistributedSnapshotMetadata
    element_spec 1 bytes
    compression 2 string
"""
