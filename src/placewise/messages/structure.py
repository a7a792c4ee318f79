"""Nested Python structures and type specs as data."""

TABLE = """
file tensorflow/core/protobuf/struct.proto
  StructuredValue
    oneof kind
      none_value 1 NoneValue
      float64_value 11 double
      int64_value 12 sint64  # zigzag: the only such field
      string_value 13 string
      bool_value 14 bool
      tensor_shape_value 31 TensorShapeProto
      tensor_dtype_value 32 DataType
      tensor_spec_value 33 TensorSpecProto
      type_spec_value 34 TypeSpecProto
      bounded_tensor_spec_value 35 BoundedTensorSpecProto
      list_value 51 ListValue
      tuple_value 52 TupleValue
      dict_value 53 DictValue
      named_tuple_value 54 NamedTupleValue
      tensor_value 55 TensorProto
      numpy_value 56 TensorProto
  NoneValue
  ListValue
    values 1 repeated StructuredValue
  TupleValue
    values 1 repeated StructuredValue
  DictValue
    fields 1 map<string,StructuredValue>
  PairValue
    key 1 string
    value 2 StructuredValue
  NamedTupleValue
    name 1 string
    values 2 repeated PairValue
  TensorSpecProto
    name 1 string
    shape 2 TensorShapeProto
    dtype 3 DataType
  BoundedTensorSpecProto
    name 1 string
    shape 2 TensorShapeProto
    dtype 3 DataType
    minimum 4 TensorProto
    maximum 5 TensorProto
  TypeSpecProto
    type_spec_class 1 TypeSpecClass
    type_state 2 StructuredValue
    type_spec_class_name 3 string
    num_flat_components 4 int32
    enum TypeSpecClass
      UNKNOWN 0, SPARSE_TENSOR_SPEC 1, INDEXED_SLICES_SPEC 2, RAGGED_TENSOR_SPEC 3,
      TENSOR_ARRAY_SPEC 4, DATA_DATASET_SPEC 5, DATA_ITERATOR_SPEC 6, OPTIONAL_SPEC 7,
      PER_REPLICA_SPEC 8, VARIABLE_SPEC 9, ROW_PARTITION_SPEC 10, REGISTERED_TYPE_SPEC 12,
      EXTENSION_TYPE_SPEC 13

file tensorflow/core/protobuf/composite_tensor_variant.proto
  CompositeTensorVariantMetadata
    type_spec_proto 1 TypeSpecProto
"""
