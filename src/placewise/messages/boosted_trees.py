"""Boosted trees: the splits and leaves of each tree, and how far the last one has grown."""

TABLE = """
file tensorflow/core/kernels/boosted_trees/boosted_trees.proto
  package tensorflow.boosted_trees
  Node
    oneof node
      leaf 1 Leaf
      bucketized_split 2 BucketizedSplit
      categorical_split 3 CategoricalSplit
      dense_split 4 DenseSplit
    metadata 777 NodeMetadata
  NodeMetadata
    gain 1 float
    original_leaf 2 Leaf
  Leaf
    oneof leaf
      vector 1 Vector
      sparse_vector 2 SparseVector
    scalar 3 float
  Vector
    value 1 repeated float
  SparseVector
    index 1 repeated int32
    value 2 repeated float
  enum SplitTypeWithDefault
    INEQUALITY_DEFAULT_LEFT 0, INEQUALITY_DEFAULT_RIGHT 1, EQUALITY_DEFAULT_RIGHT 3
  enum DefaultDirection
    DEFAULT_LEFT 0, DEFAULT_RIGHT 1
  BucketizedSplit
    feature_id 1 int32
    threshold 2 int32
    dimension_id 5 int32
    default_direction 6 DefaultDirection
    left_id 3 int32
    right_id 4 int32
  CategoricalSplit
    feature_id 1 int32
    value 2 int32
    dimension_id 5 int32
    left_id 3 int32
    right_id 4 int32
  DenseSplit
    feature_id 1 int32
    threshold 2 float
    left_id 3 int32
    right_id 4 int32
  Tree
    nodes 1 repeated Node
  TreeMetadata
    num_layers_grown 2 int32
    is_finalized 3 bool
    post_pruned_nodes_meta 4 repeated PostPruneNodeUpdate
    PostPruneNodeUpdate
      new_node_id 1 int32
      logit_change 2 repeated float
  GrowingMetadata
    num_trees_attempted 1 int64
    num_layers_attempted 2 int64
    last_layer_node_start 3 int32
    last_layer_node_end 4 int32
  TreeEnsemble
    trees 1 repeated Tree
    tree_weights 2 repeated float
    tree_metadata 3 repeated TreeMetadata
    growing_metadata 4 GrowingMetadata
  DebugOutput
    feature_ids 1 repeated int32
    logits_path 2 repeated float
"""
