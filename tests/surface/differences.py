"""What the surface leaves out, adds and does otherwise than TensorFlow, with the reasons.

Disagreements that are merely not mended yet stand in `not_yet.json`.
"""

from __future__ import annotations

# Namespaces that are neither recorded nor compared.
EXCEPTED = {
    "tf2": {
        "compat.v1": "TensorFlow 1, listed as such",
        "compat.v2": "the root itself",
        "dtensor": "TensorFlow's own sharding runtime",
        "experimental.dtensor": "TensorFlow's own sharding runtime",
        "initializers": "Keras itself",
        "keras": "Keras itself",
        "lite": "another runtime",
        "losses": "Keras itself",
        "metrics": "Keras itself",
        "mlir": "TensorFlow's compiler",
        "optimizers": "Keras itself",
        "tools": "not part of the API",
        "tpu": "no TPU here: only tables of embeddings, as on CPUs",
    },
    "tf1": {
        "compat.v1": "the root itself",
        "compat.v2": "TensorFlow 2, listed as such",
        "estimator.tpu": "no TPU here",
        "keras": "Keras itself",
        "lite": "another runtime",
        "pywrap_tensorflow": "TensorFlow's C++ library",
        "tpu": "no TPU here",
    },
}

# Namespaces of which only the names that programs use are recorded: all would be most of the file.
PARTLY = {"tf2": {}, "tf1": {"contrib": "only the names that programs use"}}

# Names that no TensorFlow has; a namespace stands for all that is in it.
OWN = {
    "PlacementWarning": "what soft placement warns with",
    "__internal__": "what Keras imports of TensorFlow's inside",
    "__operators__": "functions behind operators, which Keras 2 imports",
    "assert_on": "a test's question where an op ran",
    "config.gpu": "the guides' spelling of memory settings",
    "copies": "what to do about hidden transfers",
    "explain": "why an op runs where it does",
    "gpu": "the guides' spelling of memory settings",
    "install_as_tensorflow": "let `import tensorflow` mean placewise",
    "memory": "who may have how many bytes, and who holds them",
    "raw_ops.PlacewiseForget": "lets tensors go that a task keeps for an eager program elsewhere",
    "raw_ops.PlacewiseKeep": "a task keeps a tensor for an eager program elsewhere",
    "raw_ops.PlacewiseKept": "returns a tensor that a task keeps for an eager program elsewhere",
    "record": "placement as data",
    "release_memory": "give cached bytes back",
    "report": "a page of what ran where, when and why",
    "plan": "what a step needs and takes on a machine that is not here",
    "place": "choose where operations run that ask for no device",
    "simulate": "pretend to be another machine",
    "strict": "make every fallback an error",
    "test.get_temp_dir": "a name of TensorFlow 1, useful still",
    "version.CXX11_ABI_FLAG": "where tf.CXX11_ABI_FLAG stands",
    "version.MONOLITHIC_BUILD": "where tf.MONOLITHIC_BUILD stands",
}

# Names that went with TensorFlow 1.0, which programs of that time use; we may have any of them.
BEFORE_1 = frozenset(
    {
        "audio_summary",
        "batch_band_part",
        "batch_cholesky",
        "batch_cholesky_solve",
        "batch_fft",
        "batch_fft2d",
        "batch_fft3d",
        "batch_ifft",
        "batch_ifft2d",
        "batch_ifft3d",
        "batch_matmul",
        "batch_matrix_band_part",
        "batch_matrix_determinant",
        "batch_matrix_diag",
        "batch_matrix_diag_part",
        "batch_matrix_inverse",
        "batch_matrix_set_diag",
        "batch_matrix_solve",
        "batch_matrix_solve_ls",
        "batch_matrix_transpose",
        "batch_matrix_triangular_solve",
        "batch_self_adjoint_eig",
        "batch_self_adjoint_eigvals",
        "batch_set_diag",
        "batch_svd",
        "complex_abs",
        "concat_v2",
        "histogram_summary",
        "image_summary",
        "inv",
        "listdiff",
        "merge_all_summaries",
        "merge_summary",
        "mul",
        "neg",
        "op_scope",
        "pack",
        "scalar_summary",
        "select",
        "split_v",
        "sub",
        "train.SummaryWriter",
        "unpack",
    }
)

# Ops that differ on purpose by the kind of op they are: what their names match, and why.
KINDS = {
    r"raw_ops\.\w*(Dataset|Iterator)\w*": "takes functions and structures as Python objects",
    r"raw_ops\.GetElementAtIndex": "takes a structure as a Python object",
    r"raw_ops\.EagerPyFunc": "is never asynchronous",
}

# Paths whose kind or parameters differ on purpose.
DIFFERENT: dict[str, dict[str, str]] = {
    "both": {
        "DType": "what is pickled gives more arguments, which say nothing here",
        "dtypes.DType": "what is pickled gives more arguments, which say nothing here",
        "types.experimental.distributed.Mirrored": "the class of such values itself, no base of it",
        "types.experimental.distributed.PerReplica": "the class of such values, no base of it",
        "data.experimental.Optional": "made by its from_… methods only",
        "data.experimental.RandomDataset": "made by a function, and a DatasetV2",
        "raw_ops.VarHandleOp": "graphs are written as TensorFlow 1.15 writes them",
        "RaggedTensor": "made by its from_… methods only",
        "broadcast_dynamic_shape": "takes a name too",
        "errors.OpError": "the code may be left out",
        "meshgrid": "the keywords are spelled out",
        "tensor_scatter_nd_update": "takes the policy for bad indices too",
    },
    "tf2": {
        "Graph": "says with a flag of its own how tensors compare",
        "distribute.DistributedDataset": "made by strategies only",
        "distribute.DistributedIterator": "made by strategies only",
        "distribute.DistributedValues": "made by strategies only",
        "distribute.StrategyExtended": "made by strategies only",
        "experimental.DynamicRaggedShape": "made by its from_… methods only",
        "experimental.Optional": "made by its from_… methods only",
        "experimental.RowPartition": "made by its from_… methods only",
    },
    "tf1": {
        "OpError": "the code may be left out",
        "data.Dataset": "made by its methods and their like only",
        "data.Iterator": "made by its from_… methods and their like only",
        "data.experimental.TensorArrayStructure": "has TensorFlow 2's order, all by name",
        "distribute.StrategyExtended": "made by strategies only",
        "Variable": "all are taken; help shows those that the variable itself gets",
    },
}
