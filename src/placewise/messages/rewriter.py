"""Which graph rewrites a session may apply."""

TABLE = """
file tensorflow/core/protobuf/rewriter_config.proto
  AutoParallelOptions
    enable 1 bool
    num_replicas 2 int32
  ScopedAllocatorOptions
    enable_op 1 repeated string
  RewriterConfig
    cpu_layout_conversion 50 CpuLayout
    layout_optimizer 1 Toggle
    constant_folding 3 Toggle
    shape_optimization 13 Toggle
    remapping 14 Toggle
    common_subgraph_elimination 24 Toggle
    arithmetic_optimization 7 Toggle
    dependency_optimization 8 Toggle
    loop_optimization 9 Toggle
    function_optimization 10 Toggle
    debug_stripper 11 Toggle
    disable_model_pruning 2 bool
    scoped_allocator_optimization 15 Toggle
    pin_to_host_optimization 18 Toggle
    implementation_selector 22 Toggle
    auto_mixed_precision 23 Toggle
    auto_mixed_precision_mkl 25 Toggle
    auto_mixed_precision_onednn_bfloat16 31 Toggle
    auto_mixed_precision_cpu 29 Toggle
    disable_meta_optimizer 19 bool
    disable_tfg_optimizer 32 bool
    use_plugin_optimizers 28 Toggle
    experimental_conditional_code_motion 30 Toggle
    meta_optimizer_iterations 12 NumIterationsType
    min_graph_nodes 17 int32
    experimental_disable_compressed_tensor_optimization 26 bool
    experimental_disable_folding_quantization_emulation 27 bool
    memory_optimization 4 MemOptType
    memory_optimizer_target_node_name_scope 6 string
    meta_optimizer_timeout_ms 20 int64
    auto_parallel 5 AutoParallelOptions
    fail_on_optimizer_errors 21 bool
    scoped_allocator_opts 16 ScopedAllocatorOptions
    optimizers 100 repeated string  # if any, exactly these, in this order
    custom_optimizers 200 repeated CustomGraphOptimizer
    inter_optimizer_verifier_config 300 VerifierConfig
    post_optimization_verifier_config 301 VerifierConfig
    enum Toggle
      DEFAULT 0, ON 1, OFF 2, AGGRESSIVE 3, EXPERIMENTAL_MLIR 4, EXPERIMENTAL_BOTH 5
    enum CpuLayout
      NO_CONVERSION_ON_CPU 0, NCHW_TO_NHWC 1, NHWC_TO_NCHW 2
    enum NumIterationsType
      DEFAULT_NUM_ITERS 0, ONE 1, TWO 2
    enum MemOptType
      DEFAULT_MEM_OPT 0, NO_MEM_OPT 1, MANUAL 2, SWAPPING_HEURISTICS 4,
      RECOMPUTATION_HEURISTICS 5, SCHEDULING_HEURISTICS 6, HEURISTICS 3
    CustomGraphOptimizer
      name 1 string
      parameter_map 2 map<string,AttrValue>

file tensorflow/core/protobuf/verifier_config.proto
  VerifierConfig
    verification_timeout_in_ms 1 int64
    structure_verifier 2 Toggle
    enum Toggle
      DEFAULT 0, ON 1, OFF 2
"""
