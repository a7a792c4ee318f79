"""A graph with what is needed to go on with it: collections, signatures, control flow, queues."""

TABLE = """
file tensorflow/core/protobuf/meta_graph.proto
  MetaGraphDef
    meta_info_def 1 MetaInfoDef
    graph_def 2 GraphDef
    saver_def 3 SaverDef
    collection_def 4 map<string,CollectionDef>
    signature_def 5 map<string,SignatureDef>  # "serving_default", …
    asset_file_def 6 repeated AssetFileDef
    object_graph_def 7 SavedObjectGraph
    MetaInfoDef
      meta_graph_version 1 string
      stripped_op_list 2 OpList
      any_info 3 google.protobuf.Any
      tags 4 repeated string
      tensorflow_version 5 string
      tensorflow_git_version 6 string
      stripped_default_attrs 7 bool
      function_aliases 8 map<string,string>
  CollectionDef
    oneof kind
      node_list 1 NodeList
      bytes_list 2 BytesList
      int64_list 3 Int64List
      float_list 4 FloatList
      any_list 5 AnyList
    NodeList
      value 1 repeated string
    BytesList
      value 1 repeated bytes
    Int64List
      value 1 repeated int64
    FloatList
      value 1 repeated float
    AnyList
      value 1 repeated google.protobuf.Any
  TensorInfo
    oneof encoding
      name 1 string
      coo_sparse 4 CooSparse
      composite_tensor 5 CompositeTensor
    dtype 2 DataType
    tensor_shape 3 TensorShapeProto
    CooSparse
      values_tensor_name 1 string
      indices_tensor_name 2 string
      dense_shape_tensor_name 3 string
    CompositeTensor
      type_spec 1 TypeSpecProto
      components 2 repeated TensorInfo
  SignatureDef
    inputs 1 map<string,TensorInfo>
    outputs 2 map<string,TensorInfo>
    method_name 3 string
    defaults 4 map<string,TensorProto>
  AssetFileDef
    tensor_info 1 TensorInfo
    filename 2 string

file tensorflow/core/protobuf/control_flow.proto
  ValuesDef
    values 1 repeated string
    external_values 2 map<string,string>
  ControlFlowContextDef
    oneof ctxt
      cond_ctxt 1 CondContextDef
      while_ctxt 2 WhileContextDef
  CondContextDef
    context_name 1 string
    pred_name 2 string
    pivot_name 3 string
    branch 4 int32
    values_def 5 ValuesDef
    nested_contexts 6 repeated ControlFlowContextDef
  WhileContextDef
    context_name 1 string
    parallel_iterations 2 int32
    back_prop 3 bool
    swap_memory 4 bool
    pivot_name 5 string
    pivot_for_pred_name 6 string
    pivot_for_body_name 7 string
    loop_exit_names 8 repeated string
    loop_enter_names 10 repeated string
    values_def 9 ValuesDef
    maximum_iterations_name 11 string
    nested_contexts 12 repeated ControlFlowContextDef

file tensorflow/core/protobuf/queue_runner.proto
  QueueRunnerDef
    queue_name 1 string
    enqueue_op_name 2 repeated string
    close_op_name 3 string
    cancel_op_name 4 string
    queue_closed_exception_types 5 repeated error.Code
"""
