"""What TensorBoard shows: scalars, images, audio, histograms, tensors, embeddings.

The projector's messages exist twice in TensorFlow, under two packages; `contrib.py` has the other.
"""

TABLE = """
file xla/tsl/protobuf/histogram.proto
  HistogramProto
    min 1 double
    max 2 double
    num 3 double
    sum 4 double
    sum_squares 5 double
    bucket_limit 6 repeated double  # upper ends
    bucket 7 repeated double

file tensorflow/core/framework/summary.proto
  public xla/tsl/protobuf/histogram.proto
  enum DataClass
    DATA_CLASS_UNKNOWN 0, DATA_CLASS_SCALAR 1, DATA_CLASS_TENSOR 2, DATA_CLASS_BLOB_SEQUENCE 3
  SummaryDescription
    type_hint 1 string
  SummaryMetadata
    plugin_data 1 PluginData
    display_name 2 string
    summary_description 3 string
    data_class 4 DataClass
    PluginData
      plugin_name 1 string
      content 2 bytes
  Summary
    value 1 repeated Value
    Image
      height 1 int32
      width 2 int32
      colorspace 3 int32  # channels: 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA
      encoded_image_string 4 bytes
    Audio
      sample_rate 1 float
      num_channels 2 int64
      length_frames 3 int64
      encoded_audio_string 4 bytes
      content_type 5 string
    Value
      node_name 7 string
      tag 1 string
      metadata 9 SummaryMetadata
      oneof value
        simple_value 2 float
        obsolete_old_style_histogram 3 bytes
        image 4 Image
        histo 5 HistogramProto
        audio 6 Audio
        tensor 8 TensorProto

file tensorflow/python/keras/protobuf/projector_config.proto
  package third_party.tensorflow.python.keras.protobuf
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
"""
