"""TensorFlow's inner modules (`tensorflow.python.…`) and where their names live. Only a table.

`PLACES` has, for each list of places, the modules whose names come from there. A place is a public
namespace (`tf.nn`: TensorFlow 1's meaning first, as inside TensorFlow), `raw` (`tf.raw_ops`, for
the generated `gen_…_ops` modules), or any other module by its name. `RENAMED` has the names
that are spelled otherwise there, or mean TensorFlow 2's (`v2.…`). `private_modules.py` reads both;
a place that does not exist (yet) is passed over.
"""

PLACES = """
inspect placewise.tensorflow.function_facts
  util: tf_inspect
placewise.tensorflow.function_facts
  util: function_utils
placewise.tensorflow.published_names
  util: all_util
placewise.tensorflow.numpy_compat
  util: numpy_compat
placewise.tensorflow.object_identity
  util: object_identity
placewise.tensorflow.control_flow_facts
  ops: control_flow_util control_flow_util_v2
placewise.layers.loss_weights
  ops: weights_broadcast_ops
placewise.training.evaluation tf.train
  training: evaluation
placewise.tensorflow.deprecation
  util: deprecation
placewise.tensorflow.export_names
  util: tf_export
placewise.tensorflow.doc_controls
  tensorflow.tools.docs: doc_controls
placewise.tensorflow.api_defs
  framework: c_api_util
placewise.saving.graph_optimization
  grappler: tf_optimizer
placewise.saving.structured_values
  saved_model: nested_structure_coder
placewise.tensorflow.keras_model_config
  keras.saving: model_config
placewise.tensorflow.json_values
  util: serialization
placewise.data.source_kinds
  data.ops: from_generator_op from_sparse_tensor_slices_op from_tensor_slices_op from_tensors_op
      range_op
placewise.distribute.input tf.distribute
  distribute: input_lib
placewise.tensorflow.library_names
  distribute: distribute_utils input_ops ps_values
  ops: op_selector
  .: pywrap_tfe
placewise.tensorflow.monitoring
  eager: monitoring
placewise.tensorflow.operator_sums
  ops.linalg: linear_operator_addition
placewise.tensorflow.sparse_matrices
  ops.linalg.sparse: sparse
placewise.saving.mode_keys
  saved_model.model_utils: mode_keys
placewise.api.v2.__internal__.tf2
  .: tf2
raw
  ops: gen_resource_variable_ops gen_sparse_ops
placewise.tensorflow.source_transformers
  autograph.converters: break_statements continue_statements return_statements
  autograph.core: converter
  autograph.pyct: anno inspect_utils loader naming parser qual_names templates transformer
  autograph.pyct.common_transformers: anf
  autograph.pyct.static_analysis: activity
placewise.api.contrib.eager
  tensorflow.contrib.eager.python: tfe
placewise.api.contrib.framework
  tensorflow.contrib.framework.python.framework: tensor_util checkpoint_utils
  tensorflow.contrib.framework.python: ops
  tensorflow.contrib.framework.python.ops: variables
placewise.api.contrib.layers
  tensorflow.contrib.layers.python: layers
  tensorflow.contrib.layers.python.layers: embedding_ops encoders initializers layers normalization
      optimizers regularizers summaries
placewise.contrib.layers.utils
  tensorflow.contrib.layers.python.layers: utils
placewise.contrib.learn.vocabulary
  tensorflow.contrib.learn.python.learn.preprocessing: categorical_vocabulary text
placewise.api.contrib.legacy_seq2seq
  tensorflow.contrib.legacy_seq2seq.python.ops: seq2seq
placewise.api.contrib.rnn placewise.contrib.rnn.linear_maps
  tensorflow.contrib.rnn.python.ops: core_rnn_cell core_rnn core_rnn_cell_impl fused_rnn_cell
      gru_ops lstm_ops rnn rnn_cell
placewise.api.contrib.seq2seq
  tensorflow.contrib.seq2seq.python.ops: attention_wrapper basic_decoder decoder helper loss
  tensorflow.contrib.seq2seq.python.ops: beam_search_decoder beam_search_ops
placewise.api.contrib.crf
  tensorflow.contrib.crf.python.ops: crf
placewise.api.contrib.lookup
  tensorflow.contrib.lookup: lookup_ops
placewise.api.contrib.metrics
  tensorflow.contrib.metrics.python.ops: metric_ops
placewise.api.contrib.training placewise.contrib.training.hparams
  tensorflow.contrib.training.python.training: evaluation hparam training
placewise.api.contrib.slim placewise.contrib.slim.learning
  tensorflow.contrib.slim.python.slim: learning model_analyzer evaluation queues summaries
placewise.core.nest tf.nest placewise.core.nest_paths
  util: nest
placewise.tensorflow.data_nest
  data.util: nest
placewise.tensorflow.composites
  framework: composite_tensor
  util: variable_utils
placewise.core.decorators
  util: tf_decorator tf_contextlib
placewise.core.dispatchers
  util: dispatch
placewise.core.trackable placewise.core.tracked_structures
  trackable: autotrackable base data_structures
  training.tracking: base data_structures
placewise.ops.spec_registry
  framework: type_spec_registry
placewise.graph.cond
  framework: smart_cond
  layers: utils
placewise.graph.resource_variables tf raw
  ops: resource_variable_ops
placewise.test.case tf.test
  framework: test_util
tf
  client: client_lib session
  compat: v2_compat
  data.util: structure
  eager: backprop imperative_grad wrap_function
  framework: constant_op device device_spec framework_lib importer indexed_slices name_scope
      none_tensor ops registry sparse_tensor stack tensor tensor_conversion_registry tensor_spec
      type_spec versions
  module: module
  ops: array_grad array_ops_stack bincount_ops clip_ops cond cond_v2 control_flow_assert
      control_flow_case control_flow_grad control_flow_ops control_flow_switch_case
      critical_section_ops custom_gradient functional_ops gen_state_ops
      gradients_impl gradients_util histogram_ops init_ops_v2 io_ops logging_ops manip_ops
      map_fn math_grad numerics partitioned_variables resource_variables_toggle script_ops
      session_ops sort_ops state_ops template tensor_array_grad tensor_array_ops
      unconnected_gradients variable_scope variable_v1 variables while_loop while_v2
  ops.parallel_for: control_flow_ops
  ops.ragged: ragged_squeeze_op
tf.ragged tf
  ops.ragged: ragged_map_ops ragged_util
tf placewise.graph.recorder
  framework: tensor_util
tf raw
  ops: data_flow_ops gen_array_ops gen_control_flow_ops gen_data_flow_ops
      gen_experimental_dataset_ops gen_io_ops gen_logging_ops gen_parsing_ops
      gen_ragged_array_ops gen_random_index_shuffle_ops gen_spectral_ops
tf tf.autodiff
  eager: forwardprop
  ops: gradients
tf.audio raw placewise.ops.signal.speech
  tensorflow.contrib.framework.python.ops: audio_ops
tf tf.config
  eager: def_function
tf tf.debugging
  ops: check_ops
tf tf.experimental
  data.ops: optional_ops
  framework: load_library type_utils
  ops: control_flow_v2_toggles
  ops.ragged: ragged_tensor
tf tf.initializers
  ops: init_ops
tf tf.linalg raw
  ops: gen_linalg_ops linalg_ops
tf tf.math raw
  ops: gen_math_ops
tf tf.math tf.io tf.random tf.initializers tf.nn tf.linalg
  ops: standard_ops
tf tf.math tf.linalg tf.sparse raw
  ops: math_ops
tf tf.nn tf.quantization raw
  ops: array_ops
tf tf.random
  framework: random_seed
  ops: random_ops
tf tf.sparse tf.io raw
  ops: sparse_ops
tf tf.strings raw
  ops: gen_string_ops string_ops
tf.app
  platform: app
tf.audio raw
  ops: gen_audio_ops
tf.bitwise
  ops: bitwise_ops
tf.bitwise raw
  ops: gen_bitwise_ops
tf.compat
  compat: compat
  util: compat_internal
tf.config
  eager.polymorphic_function: eager_function_run
tf.config tf tf.debugging tf.experimental tf.config.experimental
  eager: context
tf.config.experimental tf.config tf.config.threading
  framework: config
tf.data
  .: data
  data.ops: readers
tf.data tf.data.experimental
  data.ops: dataset_ops iterator_ops
tf.data.experimental
  data: experimental
  data.experimental.ops: batching cardinality counter distribute_options distributed_save_op
      enumerate_ops error_ops from_list get_single_element grouping interleave_ops
      iterator_model_ops iterator_ops lookup_ops optimization_options pad_to_cardinality
      parsing_ops prefetching_ops random_access random_ops readers resampling scan_ops
      shuffle_ops snapshot stats_aggregator stats_ops stats_options take_while_ops
      threading_options unique writers
  data.ops: debug_mode
tf.data.experimental tf.data
  data.ops: options
tf.data.experimental.service tf.data.experimental
  data.experimental.ops: data_service_ops
tf.debugging
  util: traceback_utils
tf.distribute
  distribute: central_storage_strategy collective_all_reduce_strategy cross_device_ops
      distribute_context distribute_lib distribution_strategy_context mirrored_strategy
      one_device_strategy parameter_server_strategy parameter_server_strategy_v2 reduce_util
      values
tf.distribute.cluster_resolver
  distribute: cluster_resolver
  distribute.cluster_resolver: cluster_resolver gce_cluster_resolver kubernetes_cluster_resolver
      slurm_cluster_resolver tfconfig_cluster_resolver
tf.distribute.coordinator tf.distribute.experimental.coordinator
  distribute.coordinator: cluster_coordinator remote_value
tf.distribute.experimental.partitioners
  distribute: sharded_variable
tf.distributions
  ops.distributions: bernoulli beta categorical dirichlet dirichlet_multinomial distribution
      distributions exponential gamma kullback_leibler laplace multinomial normal student_t
      uniform
tf.estimator
  estimator: estimator model_fn run_config
tf.estimator.export
  estimator.export: export
tf.experimental
  framework: strict_mode
  ops.ragged: dynamic_ragged_shape row_partition
  ops.structured: structured_tensor
tf.experimental tf.experimental.extension_type
  framework: extension_type
tf.experimental.dlpack
  dlpack: dlpack
tf.experimental.numpy
  ops.numpy_ops: np_array_ops np_arrays np_config np_dtypes np_math_ops np_utils
tf.experimental.numpy.random
  ops.numpy_ops: np_random
tf.feature_column
  feature_column: feature_column feature_column_lib feature_column_v2
tf.flags
  platform: flags
tf.gfile
  platform: gfile
tf.gfile tf.io.gfile
  lib.io: file_io
tf.graph_util
  framework: graph_util graph_util_impl
tf.image
  ops: image_ops_impl
tf.image raw
  ops: gen_image_ops image_ops
tf.initializers
  ops: initializers_ns
tf.io
  framework: graph_io
  ops: parsing_config parsing_ops proto_ops
tf.io raw
  ops: gen_decode_proto_ops gen_encode_proto_ops
tf.keras
  .: keras
  keras: models
  keras.engine: functional input_layer network sequential training
tf.keras.layers
  keras: layers
  keras.engine: base_layer input_spec
  keras.layers: advanced_activations convolutional core dense_attention embeddings local merge
      noise normalization normalization_v2 pooling preprocessing recurrent recurrent_v2 wrappers
tf.keras.models
  keras.saving: save
tf.keras.optimizers
  keras: optimizers
  keras.optimizer_v2: adam gradient_descent learning_rate_schedule optimizer_v2 rmsprop
tf.keras.utils
  keras: utils
  keras.utils: data_utils generic_utils layer_utils np_utils vis_utils
tf.layers
  layers: convolutional core layers normalization pooling
tf.layers tf.layers.experimental
  layers: base
tf.linalg
  ops.linalg: linalg linalg_impl linear_operator linear_operator_adjoint
      linear_operator_block_diag linear_operator_block_lower_triangular
      linear_operator_circulant linear_operator_composition linear_operator_diag
      linear_operator_full_matrix linear_operator_householder linear_operator_identity
      linear_operator_inversion linear_operator_kronecker linear_operator_low_rank_update
      linear_operator_lower_triangular linear_operator_permutation linear_operator_toeplitz
      linear_operator_tridiag linear_operator_zeros
tf.logging
  platform: tf_logging
tf.lookup tf.lookup.experimental tf
  ops: lookup_ops
tf.losses
  ops.losses: losses losses_impl util
tf.math
  ops: confusion_matrix
tf.math tf
  ops: special_math_ops
tf.metrics
  ops: metrics metrics_impl
tf.mixed_precision
  training.experimental: loss_scale loss_scale_optimizer
tf.nn
  ops: candidate_sampling_ops clustering_ops ctc_ops embedding_ops nn_grad rnn
      rnn_cell_wrapper_impl
tf.nn tf raw
  ops: gen_nn_ops nn_ops
tf.nn tf tf.linalg
  ops: nn
tf.nn tf.linalg
  ops: nn_impl
tf.nn.rnn_cell
  ops: rnn_cell rnn_cell_impl
tf.profiler
  profiler: model_analyzer option_builder profiler tfprof_logger
tf.profiler.experimental
  profiler: profiler_v2 trace
tf.profiler.experimental.client
  profiler: profiler_client
tf.python_io tf.io
  lib.io: python_io tf_record
tf.ragged
  ops.ragged: ragged_concat_ops ragged_factory_ops ragged_functional_ops segment_id_ops
tf.ragged tf
  ops.ragged: ragged_array_ops ragged_gather_ops ragged_where_op
tf.ragged tf.math tf
  ops.ragged: ragged_math_ops
tf.ragged tf.experimental
  ops.ragged: ragged_tensor_value
tf.random
  ops: random_ops_util stateful_random_ops stateless_random_ops
tf.resource_loader
  platform: resource_loader
tf.saved_model
  saved_model: load load_options loader main_op save saved_model signature_def_utils
      signature_def_utils_impl utils utils_impl
  trackable: asset
tf.saved_model tf.__internal__.saved_model
  saved_model: loader_impl
tf.saved_model tf.saved_model.experimental
  saved_model: save_options
tf.saved_model.builder tf.saved_model
  saved_model: builder builder_impl
tf.saved_model.constants
  saved_model: constants
tf.saved_model.experimental
  saved_model: fingerprinting
  trackable: resource
tf.saved_model.signature_constants
  saved_model: signature_constants
tf.saved_model.signature_def_utils
  saved_model: method_name_updater
tf.saved_model.tag_constants
  saved_model: tag_constants
tf.sets
  ops: sets sets_impl
tf.signal
  ops.signal: dct_ops fft_ops mel_ops mfcc_ops reconstruction_ops shape_ops signal spectral_ops
      window_ops
tf.strings
  ops.ragged: ragged_string_ops
tf.summary
  summary: summary tb_summary
  summary.writer: writer writer_cache
tf.summary tf.compat.v2.summary
  ops: summary_ops_v2
tf.sysconfig
  platform: sysconfig
tf.test
  eager: test
  ops: gradient_checker_v2
  platform: benchmark googletest test
tf.train
  .: pywrap_tensorflow
  checkpoint: checkpoint checkpoint_management checkpoint_options checkpoint_view trackable_view
  eager: remote
  ops: sdca_ops
  summary: summary_iterator
  training: adadelta adagrad adagrad_da adam basic_loops checkpoint_management checkpoint_utils
      coordinator device_setter distribute ftrl gradient_descent learning_rate_decay momentum
      monitored_session optimizer proximal_adagrad proximal_gradient_descent
      py_checkpoint_reader quantize_training queue_runner queue_runner_impl rmsprop
      saveable_hook saver session_manager session_run_hook slot_creator summary_io supervisor
      sync_replicas_optimizer training training_ops training_util warm_starting_util
  training.tracking: util
tf.train placewise.training.moving_averages
  training: moving_averages
tf.train tf
  training: basic_session_run_hooks
tf.train tf.config.experimental
  training: server_lib
tf.train tf.graph_util
  framework: convert_to_constants
tf.train tf.io
  training: input
tf.train.experimental
  checkpoint.sharding: sharding_policies sharding_util
  trackable: python_state
  training.experimental: mixed_precision
  training.tracking: python_state
tf.types.experimental
  types: core trace
"""

# module: name=where ...; `where` is below tf, or the full name of something in placewise.
RENAMED = """
checkpoint.checkpoint: Checkpoint=placewise.saving.checkpoint.Checkpoint
saved_model.nested_structure_coder: encode_structure=placewise.saving.structured_values.encoded
  decode_proto=placewise.saving.structured_values.decoded
data.ops.dataset_ops: INFINITE=data.INFINITE_CARDINALITY UNKNOWN=data.UNKNOWN_CARDINALITY
  get_legacy_output_classes=data.get_output_classes
  get_legacy_output_shapes=data.get_output_shapes get_legacy_output_types=data.get_output_types
eager.context: num_gpus=placewise.tensorflow.private_functions.num_gpus
framework.config: get_optimizer_jit=config.optimizer.get_jit
  set_optimizer_jit=config.optimizer.set_jit
  get_optimizer_experimental_options=config.optimizer.get_experimental_options
  set_optimizer_experimental_options=config.optimizer.set_experimental_options
framework.graph_util: graph_defs_equal=placewise.saving.frozen_graphs.graph_defs_equal
framework.graph_util_impl: graph_defs_equal=placewise.saving.frozen_graphs.graph_defs_equal
framework.random_seed: DEFAULT_GRAPH_SEED=placewise.ops.random.streams.DEFAULT_GLOBAL_SEED
ops.ragged.ragged_tensor: is_ragged=placewise.tensorflow.library_names.is_ragged
  convert_to_tensor_or_ragged_tensor=placewise.tensorflow.library_names.convert_to_tensor_or_ragged_tensor
ops.ragged.ragged_array_ops: ragged_one_hot=placewise.ops.array.one_hot.one_hot
ops.summary_ops_v2: _summary_state=placewise.summary.state.state
  summary_scope=summary.experimental.summary_scope set_step=summary.experimental.set_step
  get_step=summary.experimental.get_step write_raw_pb=summary.experimental.write_raw_pb
framework.constant_op: constant=placewise.ops.array.creation.constant
  constant_v1=placewise.graph.constants.constant
framework.ops: numpy_text=placewise.tensorflow.library_names.numpy_text
  NullContextmanager=placewise.tensorflow.library_names.NullContextmanager
  uid=placewise.tensorflow.library_names.uid
  name_from_scope_name=placewise.tensorflow.library_names.name_from_scope_name
  convert_to_tensor_or_composite=placewise.tensorflow.library_names.convert_to_tensor_or_composite
  SymbolicTensor=placewise.graph.tensor.GraphTensor
  get_name_scope=placewise.graph.defaults.get_name_scope
  EagerTensor=placewise.core.tensor.Tensor
  convert_to_tensor_v2_with_dispatch=convert_to_tensor
  disable_eager_execution=disable_eager_execution
framework.convert_to_constants:
  convert_variables_to_constants_v2=placewise.functions.freezing.convert_variables_to_constants_v2
framework.tensor_util: MakeNdarray=make_ndarray constant_value=get_static_value
  constant_value_as_shape=placewise.tensorflow.library_names.constant_value_as_shape
  is_tf_type=is_tensor is_tensor=is_tensor
framework.type_spec: BatchableTypeSpec=placewise.ops.structured_spec.BatchableTypeSpec
  register=placewise.ops.spec_registry.register lookup=placewise.ops.spec_registry.lookup
  type_spec_from_value=placewise.ops.specs.type_spec_from_value
  register_type_spec_from_value_converter=placewise.ops.specs.register_type_spec_from_value_converter
framework.type_spec_registry: _NAME_TO_TYPE_SPEC=placewise.ops.spec_registry._named
  _TYPE_SPEC_TO_NAME=placewise.ops.spec_registry._names
framework.tensor_spec: DenseSpec=placewise.ops.structured_spec.DenseSpec
  BoundedTensorSpec=placewise.ops.specs.BoundedTensorSpec
framework.tensor: DenseSpec=placewise.ops.structured_spec.DenseSpec
ops.string_ops: string_length=strings.length string_length_v2=v2.strings.length
ops.stateless_random_ops: index_shuffle=random.experimental.index_shuffle
  stateless_shuffle=random.experimental.stateless_shuffle
ops.parallel_for.control_flow_ops: pfor=placewise.tensorflow.library_names.pfor
ops.linalg.linear_operator:
  make_composite_tensor=placewise.tensorflow.library_names.make_composite_tensor
ops.op_selector: get_backward_walk_ops=placewise.tensorflow.library_names.get_backward_walk_ops
data.ops.iterator_ops: OwnedIterator=placewise.data.iterators.OwnedIterator
eager.remote: connect_to_remote_host=config.experimental_connect_to_host
  connect_to_cluster=config.experimental_connect_to_cluster
eager.def_function: Function=placewise.functions.polymorphic.Function
distribute.cluster_resolver.cluster_resolver:
  UnionClusterResolver=distribute.cluster_resolver.UnionResolver
distribute.values: PerReplica=placewise.distribute.values.PerReplica
  DistributedVariable=placewise.distribute.variables.DistributedVariable
  MirroredVariable=placewise.distribute.variables.MirroredVariable
  SyncOnReadVariable=placewise.distribute.variables.SyncOnReadVariable
distribute.ps_values: AggregatingVariable=placewise.distribute.variables.AggregatingVariable
framework.test_util: TensorFlowTestCase=test.TestCase
  disable_cudnn_autotune=placewise.tensorflow.private_functions.disable_cudnn_autotune
  run_deprecated_v1=placewise.tensorflow.private_functions.run_deprecated_v1
  assert_no_garbage_created=placewise.tensorflow.private_functions.assert_no_garbage_created
layers.convolutional: Convolution1D=layers.Conv1D Convolution2D=layers.Conv2D
  Convolution3D=layers.Conv3D SeparableConvolution2D=layers.SeparableConv2D
  Convolution2DTranspose=layers.Conv2DTranspose Deconvolution2D=layers.Conv2DTranspose
  Deconv2D=layers.Conv2DTranspose Convolution3DTranspose=layers.Conv3DTranspose
  convolution1d=layers.conv1d convolution2d=layers.conv2d convolution3d=layers.conv3d
  separable_convolution2d=layers.separable_conv2d convolution2d_transpose=layers.conv2d_transpose
  deconvolution2d=layers.conv2d_transpose deconv2d=layers.conv2d_transpose
layers.core: FullyConnected=layers.Dense fully_connected=layers.dense
layers.normalization: BatchNorm=layers.BatchNormalization batch_norm=layers.batch_normalization
layers.pooling: AvgPool2D=layers.AveragePooling2D MaxPool2D=layers.MaxPooling2D
  max_pool2d=layers.max_pooling2d avg_pool2d=layers.average_pooling2d
lib.io.file_io: file_exists=gfile.Exists file_exists_v2=io.gfile.exists delete_file=gfile.Remove
  delete_file_v2=io.gfile.remove get_matching_files=gfile.Glob get_matching_files_v2=io.gfile.glob
  create_dir=gfile.MkDir create_dir_v2=io.gfile.mkdir recursive_create_dir=gfile.MakeDirs
  recursive_create_dir_v2=io.gfile.makedirs copy=gfile.Copy rename=gfile.Rename
  delete_recursively=gfile.DeleteRecursively delete_recursively_v2=io.gfile.rmtree
  is_directory=gfile.IsDirectory is_directory_v2=io.gfile.isdir list_directory=gfile.ListDirectory
  list_directory_v2=io.gfile.listdir walk=gfile.Walk stat=gfile.Stat FileIO=gfile.GFile
ops.array_ops: constant=v2.constant
  prevent_gradient=placewise.tensorflow.library_names.prevent_gradient
  shape_internal=placewise.tensorflow.library_names.shape_internal
  extract_image_patches_v2=image.extract_patches
  tensor_scatter_max=tensor_scatter_nd_max tensor_scatter_min=tensor_scatter_nd_min
ops.control_flow_ops: cond_for_tf_v2=cond
  get_enclosing_xla_context=placewise.tensorflow.library_names.get_enclosing_xla_context
  with_dependencies=placewise.tensorflow.private_functions.with_dependencies
ops.ctc_ops: ctc_loss_v3=v2.nn.ctc_loss
ops.data_flow_ops: Barrier=placewise.graph.barriers.Barrier
  StagingArea=placewise.graph.staging_area.StagingArea
ops.metrics_impl: metric_variable=placewise.layers.metric_state.metric_variable
  _remove_squeezable_dimensions=placewise.tensorflow.library_names.metric_inputs
  _safe_scalar_div=placewise.layers.metric_state.ratio
ops.confusion_matrix:
  remove_squeezable_dimensions=placewise.layers.loss_weights.without_last_one
ops.gradients_impl: HessiansV2=hessians
ops.image_ops: ResizeMethod=v2.image.ResizeMethod
  resize_images_v2=image.resize resize_image_with_pad_v2=image.resize_with_pad
  non_max_suppression_with_overlaps=image.non_max_suppression_overlaps
ops.image_ops_impl: ResizeMethod=v2.image.ResizeMethod
  resize_images_v2=image.resize resize_image_with_pad_v2=image.resize_with_pad
  non_max_suppression_with_overlaps=image.non_max_suppression_overlaps
ops.init_ops: Zeros=initializers.zeros Ones=initializers.ones Constant=initializers.constant
  RandomUniform=initializers.random_uniform RandomNormal=initializers.random_normal
  TruncatedNormal=initializers.truncated_normal Orthogonal=initializers.orthogonal
  UniformUnitScaling=initializers.uniform_unit_scaling Identity=initializers.identity
  VarianceScaling=initializers.variance_scaling GlorotUniform=glorot_uniform_initializer
  GlorotNormal=glorot_normal_initializer identity_initializer=initializers.identity
ops.linalg.linalg_impl: matrix_exponential=linalg.expm
ops.linalg_ops: log_matrix_determinant=linalg.slogdet matrix_logarithm=linalg.logm
ops.math_ops: _bucketize=placewise.tensorflow.private_functions.bucketize
  floor_mod=math.floormod neg=math.negative next_after=math.nextafter
  bucketize=placewise.tensorflow.private_functions.bucketize
  sparse_mat_mul=sparse_matmul truncate_div=truncatediv truncate_mod=truncatemod
  sparse_segment_sum_v2=sparse.segment_sum sparse_segment_mean_v2=sparse.segment_mean
  sparse_segment_sqrt_n_v2=sparse.segment_sqrt_n real_div=realdiv
ops.numpy_ops.np_config:
  enable_numpy_behavior=experimental.numpy.experimental_enable_numpy_behavior
ops.numerics: verify_tensor_all_finite_v2=debugging.assert_all_finite
ops.parsing_ops: parse_single_example_v2_unoptimized=io.parse_single_example
ops.random_ops: random_poisson_v2=random.poisson
  parameterized_truncated_normal=placewise.tensorflow.library_names.parameterized_truncated_normal
ops.resource_variable_ops:
  BaseResourceVariable=placewise.graph.resource_variables.ResourceVariable
  VariableSpec=placewise.tensorflow.variable_spec.VariableSpec
ops.while_v2: while_loop=v2.while_loop
ops.rnn: rnn_cell_impl=placewise.api.v1.nn.rnn_cell
ops.script_ops: eager_py_func=py_function
ops.sparse_ops: sparse_cross=sparse.cross sparse_expand_dims=sparse.expand_dims
  sparse_eye=sparse.eye sparse_concat_v2=sparse.concat sparse_add_v2=sparse.add
  sparse_split_v2=sparse.split sparse_reduce_max_v2=sparse.reduce_max
  sparse_reduce_sum_v2=sparse.reduce_sum sparse_cross_hashed=sparse.cross_hashed
  _DEFAULT_HASH_KEY=placewise.ops.sparse.cross.HASH_KEY
ops.ragged.ragged_string_ops: string_bytes_split=strings.bytes_split string_split_v2=strings.split
  strings_split_v1=strings.split
ops.stateless_random_ops: stateless_random_uniform=random.stateless_uniform
  stateless_random_normal=random.stateless_normal
ops.string_ops: string_format=strings.format string_lower=strings.lower
  string_upper=strings.upper
ops.variable_scope: variable=Variable
ops.variables: Variable=v2.Variable
  PartitionedVariable=placewise.graph.partitioned.PartitionedVariable
  RefVariable=placewise.graph.variables.RefVariable
util.tf_inspect: getfullargspec=placewise.tensorflow.function_facts.getfullargspec
util.nest: is_sequence=placewise.core.nest.is_nested
tensorflow.contrib.rnn.python.ops.core_rnn_cell: _linear=placewise.contrib.rnn.linear_maps.linear
tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl:
  _linear=placewise.contrib.rnn.linear_maps.linear
saved_model.load: load=v2.saved_model.load
saved_model.saved_model: load=v2.saved_model.load
ops.standard_ops: Variable=v2.Variable constant=v2.constant
ops.gradient_checker_v2: compute_gradient=v2.test.compute_gradient
ops.init_ops_v2: zeros_initializer=v2.zeros_initializer ones_initializer=v2.ones_initializer
  constant_initializer=v2.constant_initializer
  random_uniform_initializer=v2.random_uniform_initializer
  random_normal_initializer=v2.random_normal_initializer
summary.tb_summary: audio=v2.summary.audio histogram=v2.summary.histogram
  image=v2.summary.image scalar=v2.summary.scalar text=v2.summary.text
training.training: Checkpoint=v2.train.Checkpoint
framework.device: DeviceSpec=v2.DeviceSpec
framework.framework_lib: DeviceSpec=v2.DeviceSpec
distribute.mirrored_strategy: MirroredStrategy=v2.distribute.MirroredStrategy
distribute.one_device_strategy: OneDeviceStrategy=v2.distribute.OneDeviceStrategy
distribute.distribute_lib: Strategy=v2.distribute.Strategy
eager.remote: connect_to_remote_host=v2.config.experimental_connect_to_host
  connect_to_cluster=v2.config.experimental_connect_to_cluster
types.core: Tensor=placewise.core.tensor.Tensor
types.core: Tensor=placewise.core.tensor.TensorLike
pywrap_tfe:
  TF_ListPluggablePhysicalDevices=placewise.tensorflow.library_names.pluggable_devices
platform.benchmark: TensorFlowBenchmark=test.Benchmark
training.monitored_session: _HookedSession=placewise.training.hooked_run.HookedSession
training.evaluation: _StopAfterNEvalsHook=placewise.training.evaluation.StopAfterNEvalsHook
  _evaluate_once=placewise.training.evaluation.evaluate_once
  _get_or_create_eval_step=placewise.training.evaluation.get_or_create_eval_step
training.basic_session_run_hooks: SummaryWriterCache=summary.FileWriterCache
training.summary_io: SummaryWriterCache=summary.FileWriterCache
"""
