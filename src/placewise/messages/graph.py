"""Graphs as data: nodes, attributes, functions, versions and where the code stood."""

TABLE = """
file tensorflow/core/framework/versions.proto
  VersionDef
    producer 1 int32
    min_consumer 2 int32
    bad_consumers 3 repeated int32

file tensorflow/core/framework/full_type.proto
  enum FullTypeId
    TFT_UNSET 0, TFT_VAR 1, TFT_ANY 2, TFT_PRODUCT 3, TFT_NAMED 4, TFT_FOR_EACH 20,
    TFT_CALLABLE 100, TFT_TENSOR 1000, TFT_ARRAY 1001, TFT_OPTIONAL 1002, TFT_LITERAL 1003,
    TFT_ENCODED 1004, TFT_SHAPE_TENSOR 1005, TFT_BOOL 200, TFT_UINT8 201, TFT_UINT16 202,
    TFT_UINT32 203, TFT_UINT64 204, TFT_INT8 205, TFT_INT16 206, TFT_INT32 207, TFT_INT64 208,
    TFT_HALF 209, TFT_FLOAT 210, TFT_DOUBLE 211, TFT_BFLOAT16 215, TFT_COMPLEX64 212,
    TFT_COMPLEX128 213, TFT_STRING 214, TFT_DATASET 10102, TFT_RAGGED 10103, TFT_ITERATOR 10104,
    TFT_MUTEX_LOCK 10202, TFT_LEGACY_VARIANT 10203
  FullTypeDef
    type_id 1 FullTypeId
    args 2 repeated FullTypeDef
    oneof attr
      s 3 string
      i 4 int64

file tensorflow/core/framework/attr_value.proto
  AttrValue
    oneof value
      s 2 bytes
      i 3 int64
      f 4 float
      b 5 bool
      type 6 DataType
      shape 7 TensorShapeProto
      tensor 8 TensorProto
      list 1 ListValue
      func 10 NameAttrList
      placeholder 9 string
    ListValue
      s 2 repeated bytes
      i 3 repeated int64
      f 4 repeated float
      b 5 repeated bool
      type 6 repeated DataType
      shape 7 repeated TensorShapeProto
      tensor 8 repeated TensorProto
      func 9 repeated NameAttrList
  NameAttrList
    name 1 string
    attr 2 map<string,AttrValue>

file tensorflow/core/framework/node_def.proto
  NodeDef
    name 1 string
    op 2 string
    input 3 repeated string  # "node", "node:1", then "^control"
    device 4 string
    attr 5 map<string,AttrValue>
    experimental_debug_info 6 ExperimentalDebugInfo
    experimental_type 7 FullTypeDef
    ExperimentalDebugInfo
      original_node_names 1 repeated string
      original_func_names 2 repeated string

file tensorflow/core/framework/function.proto
  FunctionDefLibrary
    function 1 repeated FunctionDef
    gradient 2 repeated GradientDef
    registered_gradients 3 repeated RegisteredGradient
  FunctionDef
    signature 1 OpDef
    attr 5 map<string,AttrValue>
    arg_attr 7 map<uint32,ArgAttrs>
    resource_arg_unique_id 8 map<uint32,uint32>
    node_def 3 repeated NodeDef
    ret 4 map<string,string>
    control_ret 6 map<string,string>
    ArgAttrs
      attr 1 map<string,AttrValue>
  GradientDef
    function_name 1 string
    gradient_func 2 string
  RegisteredGradient
    gradient_func 1 string
    registered_op_type 2 string

file tensorflow/core/framework/graph.proto
  GraphDef
    node 1 repeated NodeDef
    versions 4 VersionDef
    version 3 int32  # before `versions`
    library 2 FunctionDefLibrary
    debug_info 5 GraphDebugInfo

file tensorflow/core/framework/graph_debug_info.proto
  syntax proto2
  GraphDebugInfo
    files 1 repeated string
    frames_by_id 4 map<fixed64,FileLineCol>
    traces_by_id 6 map<fixed64,StackTrace>
    traces 2 map<string,StackTrace>
    name_to_trace_id 5 map<string,fixed64>
    FileLineCol
      file_index 1 int32
      line 2 int32
      col 3 int32
      func 4 string
      code 5 string
    StackTrace
      file_line_cols 1 repeated FileLineCol
      frame_id 2 repeated packed fixed64

# Where it stood in TensorFlow 1.
file tensorflow/core/protobuf/graph_debug_info.proto
  public tensorflow/core/framework/graph_debug_info.proto
"""
