"""SavedModel: meta graphs, the object graph, the checkpoint's object graph, Keras metadata."""

TABLE = """
file tensorflow/core/protobuf/saved_model.proto
  SavedModel
    saved_model_schema_version 1 int64
    meta_graphs 2 repeated MetaGraphDef

file tensorflow/core/protobuf/saved_object_graph.proto
  SavedObjectGraph
    nodes 1 repeated SavedObject
    concrete_functions 2 map<string,SavedConcreteFunction>
  SavedObject
    children 1 repeated TrackableObjectGraph.TrackableObject.ObjectReference
    dependencies 15 repeated TrackableObjectGraph.TrackableObject.ObjectReference
    slot_variables 3 repeated TrackableObjectGraph.TrackableObject.SlotVariableReference
    oneof kind
      user_object 4 SavedUserObject
      asset 5 SavedAsset
      function 6 SavedFunction
      variable 7 SavedVariable
      bare_concrete_function 8 SavedBareConcreteFunction
      constant 9 SavedConstant
      resource 10 SavedResource
      captured_tensor 12 CapturedTensor
    saveable_objects 11 map<string,SaveableObject>
    registered_name 13 string
    serialized_user_proto 14 google.protobuf.Any
    registered_saver 16 string
  SavedUserObject
    identifier 1 string
    version 2 VersionDef
    metadata 3 string
  SavedAsset
    asset_file_def_index 1 int32
  SavedFunction
    concrete_functions 1 repeated string
    function_spec 2 FunctionSpec
  CapturedTensor
    name 1 string
    concrete_function 2 string
  SavedConcreteFunction
    bound_inputs 2 repeated int32
    canonicalized_input_signature 3 StructuredValue
    output_signature 4 StructuredValue
  SavedBareConcreteFunction
    concrete_function_name 1 string
    argument_keywords 2 repeated string
    allowed_positional_arguments 3 int64
    function_spec 4 FunctionSpec
  SavedConstant
    operation 1 string
  SavedVariable
    dtype 1 DataType
    shape 2 TensorShapeProto
    trainable 3 bool
    synchronization 4 VariableSynchronization
    aggregation 5 VariableAggregation
    name 6 string
    device 7 string
    experimental_distributed_variable_components 8 repeated SavedVariable
  FunctionSpec
    fullargspec 1 StructuredValue
    is_method 2 bool
    input_signature 5 StructuredValue
    jit_compile 6 JitCompile
    enum JitCompile
      DEFAULT 0, ON 1, OFF 2
  SavedResource
    device 1 string
  SaveableObject
    save_function 2 int32
    restore_function 3 int32

file tensorflow/core/protobuf/trackable_object_graph.proto
  TrackableObjectGraph
    nodes 1 repeated TrackableObject
    TrackableObject
      children 1 repeated ObjectReference
      attributes 2 repeated SerializedTensor
      slot_variables 3 repeated SlotVariableReference
      registered_saver 4 RegisteredSaver
      has_checkpoint_values 5 google.protobuf.BoolValue
      ObjectReference
        node_id 1 int32
        local_name 2 string
      SerializedTensor
        name 1 string
        full_name 2 string
        checkpoint_key 3 string
        optional_restore 4 bool  # TensorFlow 1 only
      SlotVariableReference
        original_variable_node_id 1 int32
        slot_name 2 string
        slot_variable_node_id 3 int32
  RegisteredSaver
    name 1 string
    object_name 2 string

file tensorflow/core/protobuf/fingerprint.proto
  FingerprintDef
    saved_model_checksum 1 uint64
    graph_def_program_hash 2 uint64
    signature_def_hash 3 uint64
    saved_object_graph_hash 4 uint64
    checkpoint_hash 5 uint64
    uuid 7 string
    version 6 VersionDef

file tensorflow/python/keras/protobuf/versions.proto
  package third_party.tensorflow.python.keras.protobuf
  VersionDef
    producer 1 int32
    min_consumer 2 int32
    bad_consumers 3 repeated int32

file tensorflow/python/keras/protobuf/saved_metadata.proto
  package third_party.tensorflow.python.keras.protobuf
  SavedMetadata
    nodes 1 repeated SavedObject
  SavedObject
    node_id 2 int32
    node_path 3 string
    identifier 4 string
    metadata 5 string
    version 6 VersionDef
"""
