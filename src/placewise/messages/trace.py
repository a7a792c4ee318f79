"""Profiler traces (XPlane and trace events) and the profiler's options."""

TABLE = """
file tsl/profiler/protobuf/xplane.proto
  package tensorflow.profiler
  XSpace
    planes 1 repeated XPlane
    errors 2 repeated string
    warnings 3 repeated string
    hostnames 4 repeated string
  XPlane
    id 1 int64
    name 2 string
    lines 3 repeated XLine
    event_metadata 4 map<int64,XEventMetadata>
    stat_metadata 5 map<int64,XStatMetadata>
    stats 6 repeated XStat
  XLine
    id 1 int64
    display_id 10 int64
    name 2 string
    display_name 11 string
    timestamp_ns 3 int64
    duration_ps 9 int64
    events 4 repeated XEvent
  XEvent
    metadata_id 1 int64
    oneof data
      offset_ps 2 int64
      num_occurrences 5 int64
    duration_ps 3 int64
    stats 4 repeated XStat
  XStat
    metadata_id 1 int64
    oneof value
      double_value 2 double
      uint64_value 3 uint64
      int64_value 4 int64
      str_value 5 string
      bytes_value 6 bytes
      ref_value 7 uint64
  XEventMetadata
    id 1 int64
    name 2 string
    display_name 4 string
    metadata 3 bytes
    stats 5 repeated XStat
    child_id 6 repeated int64
  XStatMetadata
    id 1 int64
    name 2 string
    description 3 string

file tsl/profiler/protobuf/trace_events.proto
  package tsl.profiler
  Trace
    devices 1 map<uint32,Device>
    trace_events 4 repeated TraceEvent
  Device
    name 1 string
    device_id 2 uint32
    resources 3 map<uint32,Resource>
  Resource
    name 1 string
    resource_id 2 uint32
    sort_index 3 uint32
  TraceEvent
    device_id 1 uint32
    resource_id 2 uint32
    name 3 string
    timestamp_ps 9 uint64
    duration_ps 10 uint64
    args 11 map<string,string>

file tsl/profiler/protobuf/profiler_options.proto
  ProfileOptions
    version 5 uint32
    device_type 6 DeviceType
    include_dataset_ops 1 bool
    host_tracer_level 2 uint32
    device_tracer_level 3 uint32
    python_tracer_level 4 uint32
    enable_hlo_proto 7 bool
    start_timestamp_ns 8 uint64
    duration_ms 9 uint64
    repository_path 10 string
    trace_options 11 TraceOptions
    advanced_configuration 12 map<string,AdvancedConfigValue>
    raise_error_on_start_failure 13 bool
    session_id 14 string
    override_hostname 15 string
    enum DeviceType
      UNSPECIFIED 0, CPU 1, GPU 2, TPU 3, PLUGGABLE_DEVICE 4
    TraceOptions
      host_traceme_filter_mask 1 uint64
    AdvancedConfigValue
      oneof value
        string_value 1 string
        bool_value 2 bool
        int64_value 3 int64
  RemoteProfilerSessionManagerOptions
    profiler_options 1 ProfileOptions
    service_addresses 2 repeated string
    session_creation_timestamp_ns 3 uint64
    max_session_duration_ms 4 uint64
    delay_ms 5 uint64

# Where TensorFlow programs import them from.
file tensorflow/core/profiler/profiler_options.proto
  public tsl/profiler/protobuf/profiler_options.proto
"""
