"""What an op, a kernel and an op's public face are, as TensorFlow writes them down."""

TABLE = """
file tensorflow/core/framework/op_def.proto
  OpDef
    name 1 string
    input_arg 2 repeated ArgDef
    output_arg 3 repeated ArgDef
    control_output 20 repeated string
    attr 4 repeated AttrDef
    deprecation 8 OpDeprecation
    summary 5 string
    description 6 string
    is_commutative 18 bool
    is_aggregate 16 bool
    is_stateful 17 bool
    allows_uninitialized_input 19 bool
    is_distributed_communication 21 bool
    ArgDef
      name 1 string
      description 2 string
      type 3 DataType
      type_attr 4 string
      number_attr 5 string
      type_list_attr 6 string
      handle_data 7 repeated ResourceHandleProto.DtypeAndShape
      is_ref 16 bool
      experimental_full_type 17 FullTypeDef
    AttrDef
      name 1 string
      type 2 string
      default_value 3 AttrValue
      description 4 string
      has_minimum 5 bool  # else `minimum` says nothing
      minimum 6 int64
      allowed_values 7 AttrValue
  OpDeprecation
    version 1 int32
    explanation 2 string
  OpList
    op 1 repeated OpDef

file tensorflow/core/framework/kernel_def.proto
  KernelDef
    op 1 string
    device_type 2 string
    constraint 3 repeated AttrConstraint
    host_memory_arg 4 repeated string
    label 5 string
    priority 6 int32
    AttrConstraint
      name 1 string
      allowed_values 2 AttrValue
  KernelList
    kernel 1 repeated KernelDef

file tensorflow/core/framework/api_def.proto
  ApiDef
    graph_op_name 1 string
    deprecation_message 12 string
    deprecation_version 13 int32
    visibility 2 Visibility
    endpoint 3 repeated Endpoint
    in_arg 4 repeated Arg
    out_arg 5 repeated Arg
    arg_order 11 repeated string
    attr 6 repeated Attr
    summary 7 string
    description 8 string
    description_prefix 9 string
    description_suffix 10 string
    enum Visibility
      DEFAULT_VISIBILITY 0, VISIBLE 1, SKIP 2, HIDDEN 3
    Endpoint
      name 1 string
      deprecated 3 bool
      deprecation_version 4 int32
    Arg
      name 1 string
      rename_to 2 string
      description 3 string
    Attr
      name 1 string
      rename_to 2 string
      default_value 3 AttrValue
      description 4 string
  ApiDefs
    op 1 repeated ApiDef

file tensorflow/core/framework/reader_base.proto
  ReaderBaseState
    work_started 1 int64
    work_finished 2 int64
    num_records_produced 3 int64
    current_work 4 bytes
"""
