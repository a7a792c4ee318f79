"""pprof profiles, which tfprof can write."""

TABLE = """
file tsl/profiler/protobuf/profile.proto
  package tensorflow.tfprof.pprof
  Profile
    sample_type 1 repeated ValueType
    sample 2 repeated Sample
    mapping 3 repeated Mapping
    location 4 repeated Location
    function 5 repeated Function
    string_table 6 repeated string
    drop_frames 7 int64
    keep_frames 8 int64
    time_nanos 9 int64
    duration_nanos 10 int64
    period_type 11 ValueType
    period 12 int64
    comment 13 repeated int64
    default_sample_type 14 int64
  ValueType
    type 1 int64
    unit 2 int64
  Sample
    location_id 1 repeated uint64
    value 2 repeated int64
    label 3 repeated Label
  Label
    key 1 int64
    str 2 int64
    num 3 int64
  Mapping
    id 1 uint64
    memory_start 2 uint64
    memory_limit 3 uint64
    file_offset 4 uint64
    filename 5 int64
    build_id 6 int64
    has_functions 7 bool
    has_filenames 8 bool
    has_line_numbers 9 bool
    has_inline_frames 10 bool
  Location
    id 1 uint64
    mapping_id 2 uint64
    address 3 uint64
    line 4 repeated Line
  Line
    function_id 1 uint64
    line 2 int64
  Function
    id 1 uint64
    name 2 int64
    system_name 3 int64
    filename 4 int64
    start_line 5 int64

# Where TensorFlow programs import them from.
file tensorflow/core/profiler/profile.proto
  public tsl/profiler/protobuf/profile.proto
"""
