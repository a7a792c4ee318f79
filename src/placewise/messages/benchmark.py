"""Results of `tf.test.Benchmark`, and the machine they were measured on."""

TABLE = """
file xla/tsl/protobuf/test_log.proto
  EntryValue
    oneof kind
      double_value 1 double
      string_value 2 string
  MetricEntry
    name 1 string
    value 2 double
    min_value 3 google.protobuf.DoubleValue
    max_value 4 google.protobuf.DoubleValue
  BenchmarkEntry
    name 1 string
    iters 2 int64
    cpu_time 3 double
    wall_time 4 double
    throughput 5 double
    extras 6 map<string,EntryValue>
    metrics 7 repeated MetricEntry
  BenchmarkEntries
    entry 1 repeated BenchmarkEntry
  BuildConfiguration
    mode 1 string
    cc_flags 2 repeated string
    opts 3 repeated string
  CommitId
    oneof kind
      changelist 1 int64
      hash 2 string
    snapshot 3 string
    pending_changelist 4 int64
  CPUInfo
    num_cores 1 int64
    num_cores_allowed 2 int64
    mhz_per_cpu 3 double
    cpu_info 4 string
    cpu_governor 5 string
    cache_size 6 map<string,int64>
  MemoryInfo
    total 1 int64
    available 2 int64
  GPUInfo
    model 1 string
    uuid 2 string
    bus_id 3 string
  PlatformInfo
    bits 1 string
    linkage 2 string
    machine 3 string
    release 4 string
    system 5 string
    version 6 string
  AvailableDeviceInfo
    name 1 string
    type 2 string
    memory_limit 3 int64
    physical_description 4 string
  MachineConfiguration
    hostname 1 string
    serial_identifier 7 string
    platform_info 2 PlatformInfo
    cpu_info 3 CPUInfo
    device_info 4 repeated google.protobuf.Any
    available_device_info 5 repeated AvailableDeviceInfo
    memory_info 6 MemoryInfo
  RunConfiguration
    argument 1 repeated string
    env_vars 2 map<string,string>
  TestResults
    target 1 string
    entries 2 BenchmarkEntries
    build_configuration 3 BuildConfiguration
    commit_id 4 CommitId
    start_time 5 int64
    run_time 6 double
    machine_configuration 7 MachineConfiguration
    run_configuration 8 RunConfiguration
    name 9 string
    benchmark_type 10 BenchmarkType
    run_mode 11 string
    tf_version 12 string
    enum BenchmarkType
      UNKNOWN 0, CPP_MICROBENCHMARK 1, PYTHON_BENCHMARK 2, ANDROID_BENCHMARK 3,
      EDGE_BENCHMARK 4, IOS_BENCHMARK 5

# Where TensorFlow programs import them from.
file tensorflow/core/util/test_log.proto
  public xla/tsl/protobuf/test_log.proto
"""
