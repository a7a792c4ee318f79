"""Checkpoints: the V2 bundle's header and entries, V1's slices, the saver, the state file."""

TABLE = """
file tensorflow/core/protobuf/tensor_bundle.proto
  BundleHeaderProto
    num_shards 1 int32
    endianness 2 Endianness
    version 3 VersionDef
    enum Endianness
      LITTLE 0, BIG 1
  BundleEntryProto
    dtype 1 DataType
    shape 2 TensorShapeProto
    shard_id 3 int32
    offset 4 int64
    size 5 int64
    crc32c 6 fixed32  # masked
    slices 7 repeated TensorSliceProto  # of a partitioned variable; each has an entry of its own

file tensorflow/python/training/checkpoint_state.proto
  CheckpointState
    model_checkpoint_path 1 string
    all_model_checkpoint_paths 2 repeated string
    all_model_checkpoint_timestamps 3 repeated double
    last_preserved_timestamp 4 double

file tensorflow/core/protobuf/saver.proto
  SaverDef
    filename_tensor_name 1 string
    save_tensor_name 2 string
    restore_op_name 3 string
    max_to_keep 4 int32
    sharded 5 bool
    keep_checkpoint_every_n_hours 6 float
    version 7 CheckpointFormatVersion
    enum CheckpointFormatVersion
      LEGACY 0, V1 1, V2 2

# Checkpoints of format V1: a table of these.
file tensorflow/core/util/saved_tensor_slice.proto
  SavedSliceMeta
    name 1 string
    shape 2 TensorShapeProto
    type 3 DataType
    slice 4 repeated TensorSliceProto
  SavedTensorSliceMeta
    tensor 1 repeated SavedSliceMeta
    versions 2 VersionDef
  SavedSlice
    name 1 string
    slice 2 TensorSliceProto
    data 3 TensorProto
  SavedTensorSlices
    meta 1 SavedTensorSliceMeta
    data 2 SavedSlice

file tensorflow/core/util/memmapped_file_system.proto
  MemmappedFileSystemDirectoryElement
    offset 1 uint64
    name 2 string
    length 3 uint64
  MemmappedFileSystemDirectory
    element 1 repeated MemmappedFileSystemDirectoryElement
"""
