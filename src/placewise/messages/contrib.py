"""Messages TensorFlow 1's contrib had, and TensorFlow 2 dropped."""

TABLE = """
file tensorflow/contrib/tensorboard/plugins/projector/projector_config.proto
  SpriteMetadata
    image_path 1 string
    single_image_dim 2 repeated uint32
  EmbeddingInfo
    tensor_name 1 string
    metadata_path 2 string
    bookmarks_path 3 string
    tensor_shape 4 repeated uint32
    sprite 5 SpriteMetadata
    tensor_path 6 string
  ProjectorConfig
    model_checkpoint_path 1 string
    embeddings 2 repeated EmbeddingInfo
    model_checkpoint_dir 3 string

file tensorflow/contrib/training/python/training/hparam.proto
  HParamDef
    hparam 1 map<string,HParamType>
    BytesList
      value 1 repeated bytes
    FloatList
      value 1 repeated float
    Int64List
      value 1 repeated int64
    BoolList
      value 1 repeated bool
    HParamType
      oneof kind
        int64_value 1 int64
        float_value 2 float
        bytes_value 3 bytes
        bool_value 7 bool
        int64_list 4 Int64List
        float_list 5 FloatList
        bytes_list 6 BytesList
        bool_list 8 BoolList
"""
