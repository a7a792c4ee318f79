"""Tensors as data: their types, shapes, values and slices, resource handles, variables.

`cpp_shape_inference` carries shape and type of what a resource handle points to.
"""

TABLE = """
file tensorflow/core/framework/types.proto
  enum DataType
    DT_INVALID 0, DT_FLOAT 1, DT_DOUBLE 2, DT_INT32 3, DT_UINT8 4, DT_INT16 5, DT_INT8 6,
    DT_STRING 7, DT_COMPLEX64 8, DT_INT64 9, DT_BOOL 10, DT_QINT8 11, DT_QUINT8 12,
    DT_QINT32 13, DT_BFLOAT16 14, DT_QINT16 15, DT_QUINT16 16, DT_UINT16 17, DT_COMPLEX128 18,
    DT_HALF 19, DT_RESOURCE 20, DT_VARIANT 21, DT_UINT32 22, DT_UINT64 23, DT_FLOAT8_E5M2 24,
    DT_FLOAT8_E4M3FN 25, DT_FLOAT8_E4M3FNUZ 26, DT_FLOAT8_E4M3B11FNUZ 27, DT_FLOAT8_E5M2FNUZ 28,
    DT_INT4 29, DT_UINT4 30, DT_INT2 31, DT_UINT2 32, DT_FLOAT4_E2M1FN 33, DT_FLOAT_REF 101,
    DT_DOUBLE_REF 102, DT_INT32_REF 103, DT_UINT8_REF 104, DT_INT16_REF 105, DT_INT8_REF 106,
    DT_STRING_REF 107, DT_COMPLEX64_REF 108, DT_INT64_REF 109, DT_BOOL_REF 110,
    DT_QINT8_REF 111, DT_QUINT8_REF 112, DT_QINT32_REF 113, DT_BFLOAT16_REF 114,
    DT_QINT16_REF 115, DT_QUINT16_REF 116, DT_UINT16_REF 117, DT_COMPLEX128_REF 118,
    DT_HALF_REF 119, DT_RESOURCE_REF 120, DT_VARIANT_REF 121, DT_UINT32_REF 122,
    DT_UINT64_REF 123, DT_FLOAT8_E5M2_REF 124, DT_FLOAT8_E4M3FN_REF 125,
    DT_FLOAT8_E4M3FNUZ_REF 126, DT_FLOAT8_E4M3B11FNUZ_REF 127, DT_FLOAT8_E5M2FNUZ_REF 128,
    DT_INT4_REF 129, DT_UINT4_REF 130, DT_INT2_REF 131, DT_UINT2_REF 132,
    DT_FLOAT4_E2M1FN_REF 133
  SerializedDType
    datatype 1 DataType

file tensorflow/core/framework/tensor_shape.proto
  TensorShapeProto
    dim 2 repeated Dim
    unknown_rank 3 bool
    Dim
      size 1 int64  # -1 if unknown
      name 2 string

file tensorflow/core/framework/resource_handle.proto
  ResourceHandleProto
    device 1 string
    container 2 string
    name 3 string
    hash_code 4 uint64
    maybe_type_name 5 string
    dtypes_and_shapes 6 repeated DtypeAndShape
    DtypeAndShape
      dtype 1 DataType
      shape 2 TensorShapeProto

file tensorflow/core/framework/tensor.proto
  TensorProto  # values in `tensor_content`, or in the list of their type
    dtype 1 DataType
    tensor_shape 2 TensorShapeProto
    version_number 3 int32
    tensor_content 4 bytes
    half_val 13 repeated int32  # the bits of float16 and bfloat16
    float_val 5 repeated float
    double_val 6 repeated double
    int_val 7 repeated int32
    string_val 8 repeated bytes
    scomplex_val 9 repeated float  # real, imaginary, real, …
    int64_val 10 repeated int64
    bool_val 11 repeated bool
    dcomplex_val 12 repeated double
    resource_handle_val 14 repeated ResourceHandleProto
    variant_val 15 repeated VariantTensorDataProto
    uint32_val 16 repeated uint32
    uint64_val 17 repeated uint64
    float8_val 18 bytes
  VariantTensorDataProto
    type_name 1 string
    metadata 2 bytes
    tensors 3 repeated TensorProto

file tensorflow/core/framework/tensor_slice.proto
  TensorSliceProto
    extent 1 repeated Extent
    Extent
      start 1 int64
      oneof has_length_hack  # without a length: the whole extent
        length 2 int64

file tensorflow/core/framework/variable.proto
  enum VariableSynchronization
    VARIABLE_SYNCHRONIZATION_AUTO 0, VARIABLE_SYNCHRONIZATION_NONE 1,
    VARIABLE_SYNCHRONIZATION_ON_WRITE 2, VARIABLE_SYNCHRONIZATION_ON_READ 3
  enum VariableAggregation
    VARIABLE_AGGREGATION_NONE 0, VARIABLE_AGGREGATION_SUM 1, VARIABLE_AGGREGATION_MEAN 2,
    VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA 3
  VariableDef
    variable_name 1 string
    initial_value_name 6 string
    initializer_name 2 string
    snapshot_name 3 string
    save_slice_info_def 4 SaveSliceInfoDef
    is_resource 5 bool
    trainable 7 bool
    synchronization 8 VariableSynchronization
    aggregation 9 VariableAggregation
  SaveSliceInfoDef
    full_name 1 string
    full_shape 2 repeated int64
    var_offset 3 repeated int64
    var_shape 4 repeated int64

file tensorflow/core/protobuf/named_tensor.proto
  NamedTensorProto
    name 1 string
    tensor 2 TensorProto

file tensorflow/core/framework/allocation_description.proto
  AllocationDescription
    requested_bytes 1 int64
    allocated_bytes 2 int64
    allocator_name 3 string
    allocation_id 4 int64
    has_single_reference 5 bool
    ptr 6 uint64

file tensorflow/core/framework/tensor_description.proto
  TensorDescription
    dtype 1 DataType
    shape 2 TensorShapeProto
    allocation_description 4 AllocationDescription

file tensorflow/python/framework/cpp_shape_inference.proto
  CppShapeInferenceResult
    shape 1 TensorShapeProto
    handle_data 4 HandleData
    HandleShapeAndType
      shape 1 TensorShapeProto
      dtype 2 DataType
      type 4 FullTypeDef
    HandleData
      is_set 1 bool
      shape_and_type 2 repeated HandleShapeAndType
  CppShapeInferenceInputsNeeded
    input_tensors_needed 1 repeated int32
    input_tensors_as_shapes_needed 2 repeated int32
"""
