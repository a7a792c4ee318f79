"""Training examples and the features in them."""

TABLE = """
file tensorflow/core/example/feature.proto
  BytesList
    value 1 repeated bytes
  FloatList
    value 1 repeated float
  Int64List
    value 1 repeated int64
  Feature
    oneof kind
      bytes_list 1 BytesList
      float_list 2 FloatList
      int64_list 3 Int64List
  Features
    feature 1 map<string,Feature>
  FeatureList
    feature 1 repeated Feature
  FeatureLists
    feature_list 1 map<string,FeatureList>

file tensorflow/core/example/example.proto
  Example
    features 1 Features
  SequenceExample
    context 1 Features
    feature_lists 2 FeatureLists

file tensorflow/core/example/example_parser_configuration.proto
  VarLenFeatureProto
    dtype 1 DataType
    values_output_tensor_name 2 string
    indices_output_tensor_name 3 string
    shapes_output_tensor_name 4 string
  FixedLenFeatureProto
    dtype 1 DataType
    shape 2 TensorShapeProto
    default_value 3 TensorProto
    values_output_tensor_name 4 string
  FeatureConfiguration
    oneof config
      fixed_len_feature 1 FixedLenFeatureProto
      var_len_feature 2 VarLenFeatureProto
  ExampleParserConfiguration
    feature_map 1 map<string,FeatureConfiguration>
"""
