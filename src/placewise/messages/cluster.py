"""Who takes part: clusters, servers, device filters, coordination and RPC settings."""

TABLE = """
file tensorflow/core/protobuf/cluster.proto
  JobDef
    name 1 string
    tasks 2 map<int32,string>
  ClusterDef
    job 1 repeated JobDef

file tensorflow/core/protobuf/device_filters.proto
  TaskDeviceFilters
    device_filters 1 repeated string
  JobDeviceFilters
    name 1 string
    tasks 2 map<int32,TaskDeviceFilters>
  ClusterDeviceFilters
    jobs 1 repeated JobDeviceFilters

file tensorflow/core/protobuf/tensorflow_server.proto
  ServerDef
    cluster 1 ClusterDef
    job_name 2 string
    replica 8 int32
    task_index 3 int32
    default_session_config 4 ConfigProto
    protocol 5 string
    port 6 int32
    cluster_device_filters 7 ClusterDeviceFilters

file tensorflow/core/protobuf/transport_options.proto
  RecvBufRespExtra
    tensor_content 1 repeated bytes

file tensorflow/core/protobuf/remote_tensor_handle.proto
  package tensorflow.eager
  ResourceDtypeAndShape
    dtype 1 DataType
    shape 2 TensorShapeProto
  RemoteTensorHandle
    op_id 1 int64
    output_num 2 int32
    device 3 string
    op_device 4 string
    dtype 5 DataType
    resource_dtypes_and_shapes 6 repeated ResourceDtypeAndShape

file xla/tsl/protobuf/coordination_config.proto
  CoordinatedJob
    name 1 string
    num_tasks 2 int32
  CoordinationServiceConfig
    service_type 1 string
    service_leader 2 string
    enable_health_check 3 bool
    cluster_register_timeout_in_ms 4 int64
    cluster_register_with_barrier 14 bool
    heartbeat_timeout_in_ms 5 int64
    coordinated_job_list 10 repeated CoordinatedJob
    shutdown_barrier_timeout_in_ms 7 int64
    agent_destruction_without_shutdown 8 bool
    recoverable_jobs 9 repeated string
    allow_new_incarnation_to_reconnect 11 bool
    force_disable 12 bool
    poll_for_error_from_service_at_startup 13 bool

file xla/tsl/protobuf/rpc_options.proto
  RPCOptions
    use_rpc_for_inprocess_master 1 bool
    compression_algorithm 2 string
    compression_level 3 int32
    cache_rpc_response 4 bool
    disable_session_connection_sharing 5 bool
    num_channels_per_target 6 int32

# Where TensorFlow programs import them from.
file tensorflow/core/protobuf/rpc_options.proto
  public xla/tsl/protobuf/rpc_options.proto
"""
