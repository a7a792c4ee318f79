"""SavedModels: of graphs and of objects, TensorFlow's and ours."""

import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest

import placewise
import placewise as tf
import placewise.v1 as tf1
from placewise import messages
from tests.saving import values

DATA = Path(__file__).parent / "data"


def check(model: Any) -> None:
    """Ask a model that `values.make_saved` described what it computes."""
    x = tf.constant([[1.0, 1.0]])
    assert model.predict(x)["y"].numpy().tolist() == [[1005.0]]
    assert model.signatures["serving_default"](x=x)["y"].numpy().tolist() == [[1005.0]]
    found, (other,) = model.power(tf.constant(2.0))
    assert (float(found), other.numpy().tolist()) == (8.0, [[3.0], [2.0]])
    found, _ = model.power(tf.constant([1.0, 2.0]), times=3, twice=False)
    assert found.numpy().tolist() == [1.0, 8.0]
    model.count()
    assert float(model.rows[0]) == 3.0
    assert model.predict(x)["y"].numpy().item() == 1006.0


def test_tensorflows_objects_are_loaded() -> None:
    model = tf.saved_model.load(DATA / "saved_objects")
    assert model.w.trainable
    assert model.w.name == "w:0"
    check(model)


def test_our_objects_are_saved_and_loaded(tmp_path: Path) -> None:
    tf.saved_model.save(values.make_saved(tf), tmp_path / "model")
    assert tf.saved_model.contains_saved_model(tmp_path / "model")
    check(tf.saved_model.load(tmp_path / "model"))


def test_what_was_loaded_can_be_saved_again(tmp_path: Path) -> None:
    tf.saved_model.save(tf.saved_model.load(DATA / "saved_objects"), tmp_path / "again")
    check(tf.saved_model.load(tmp_path / "again"))


def test_a_loaded_function_runs_inside_another() -> None:
    model = tf.saved_model.load(DATA / "saved_objects")

    @tf.function
    def twice(x: Any) -> Any:
        return model.predict(x)["y"] * 2.0

    assert twice(tf.constant([[1.0, 1.0]])).numpy().item() == 2010.0


def test_gradients_go_through_a_loop_that_tensorflow_saved() -> None:
    model, x = tf.saved_model.load(DATA / "saved_arrays"), tf.constant(values.ROWS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        states = model.states(x)
        loss = tf.reduce_sum(states**2)
    assert states.numpy().tolist() == values.STATES
    found = [each.numpy().tolist() for each in tape.gradient(loss, [x, model.w])]
    assert found == [values.OF_ROWS, values.OF_W]


def test_arrays_and_gradients_of_loops_are_saved_as_tensorflows_ops(tmp_path: Path) -> None:
    tf.saved_model.save(values.make_arrays(tf, with_slopes=True), tmp_path / "model")
    model = tf.saved_model.load(tmp_path / "model")
    x = tf.constant(values.ROWS)
    assert [each.numpy().tolist() for each in (model.states(x), *model.slopes(x))] == [
        values.STATES,
        values.OF_ROWS,
        values.OF_OF_ROWS,
    ]
    saved = messages.SavedModel.FromString((tmp_path / "model" / "saved_model.pb").read_bytes())
    written = saved.meta_graphs[0].graph_def
    nodes = [*written.node, *[n for each in written.library.function for n in each.node_def]]
    known = json.loads((DATA.parents[1] / "ops" / "op_defs.json").read_text())
    own = {each.signature.name for each in written.library.function}
    assert {node.op for node in nodes} <= {*known, *own}
    assert "TensorListSetItem" in {node.op for node in nodes}


def test_arguments_outside_a_saved_signature_are_told_as_at_a_function(tmp_path: Path) -> None:
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 2], name="x")])
        def predict(self, x):
            return x

    tf.saved_model.save(Module(), tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(1, 3\)"):
        loaded.predict(tf.ones([1, 3]))
    with pytest.raises(TypeError, match="failed due to `missing a required argument: 'x'`"):
        loaded.predict()


def test_arguments_that_no_trace_takes_are_told() -> None:
    model = tf.saved_model.load(DATA / "saved_objects")
    with pytest.raises(ValueError, match="Could not find matching concrete function to call"):
        model.power(tf.constant(["text"]))


def test_signatures_may_be_given(tmp_path: Path) -> None:
    model = tf.Module()
    model.v = tf.Variable(3.0)
    add = tf.function(lambda a, b: a + b * model.v)
    spec = tf.TensorSpec([], tf.float32)
    concrete = add.get_concrete_function(a=spec, b=spec)
    tf.saved_model.save(model, tmp_path / "m", signatures={"add": concrete})
    loaded = tf.saved_model.load(tmp_path / "m")
    found = loaded.signatures["add"](a=tf.constant(1.0), b=tf.constant(2.0))
    assert float(found["output_0"]) == 7.0


def test_a_variable_that_no_object_holds_is_refused(tmp_path: Path) -> None:
    lost = tf.Variable(1.0)
    model = tf.Module()
    model.f = tf.function(lambda: lost + 1.0, input_signature=[])
    with pytest.raises(AssertionError, match="references an 'untracked' resource"):
        tf.saved_model.save(model, tmp_path / "m")
    assert not os.path.exists(tmp_path / "m")
    with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
        tf.saved_model.save(3, tmp_path / "m")


def test_a_file_moves_with_its_model(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("hello")

    class Words(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.file = tf.saved_model.Asset(tmp_path / "words.txt")

        @tf.function(input_signature=[])
        def read(self) -> Any:
            return tf.io.read_file(self.file.asset_path)

    tf.saved_model.save(Words(), tmp_path / "one")
    (tmp_path / "words.txt").unlink()
    (tmp_path / "one").rename(tmp_path / "two")
    assert tf.saved_model.load(tmp_path / "two").read().numpy() == b"hello"


def test_tensorflows_graph_is_loaded_into_a_session(graph_mode: None) -> None:
    with tf1.Session(graph=tf1.Graph()) as session:
        meta = tf1.saved_model.loader.load(session, ["serve"], str(DATA / "saved_graph"))
        signature = meta.signature_def["serving_default"]
        name = signature.outputs["y"].name
        assert session.run(name, {signature.inputs["x"].name: [[3.0]]}).tolist() == [[6.0]]


def test_a_graph_without_objects_has_signatures_too() -> None:
    model = tf.saved_model.load(DATA / "saved_graph")
    found = model.signatures["serving_default"](x=[[3.0]])
    assert found["y"].numpy().tolist() == [[6.0]]


def test_our_objects_are_loaded_into_a_session(tmp_path: Path) -> None:
    tf.saved_model.save(values.make_saved(tf), tmp_path / "model")
    with tf1.Session(graph=tf1.Graph()) as session:
        meta = tf1.saved_model.load(session, ["serve"], str(tmp_path / "model"))
        signature = meta.signature_def["serving_default"]
        feeds = {signature.inputs["x"].name: [[1.0, 1.0]]}
        assert session.run(signature.outputs["y"].name, feeds).tolist() == [[1005.0]]


def test_graphs_are_saved_under_tags(tmp_path: Path, graph_mode: None) -> None:
    v = tf1.Variable([[2.0]], name="v")
    x = tf1.placeholder(tf1.float32, [None, 1], name="x")
    y = tf1.matmul(x, v, name="y")
    (tmp_path / "words.txt").write_text("hello")
    path = tf1.constant(str(tmp_path / "words.txt"), name="path")
    text = tf1.Variable("", name="text", collections=["local_variables"])
    builder = tf1.saved_model.Builder(str(tmp_path / "model"))
    with pytest.raises(AssertionError, match="has not been saved yet"):
        builder.add_meta_graph(["serve"])
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        signature = tf1.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            assets_collection=[path],
            main_op=text.assign(tf1.read_file(path)).op,
        )
        builder.add_meta_graph(["train", "gpu"])
    builder.save()
    (tmp_path / "words.txt").unlink()
    with tf1.Session(graph=tf1.Graph()) as session:
        tf1.saved_model.load(session, ["serve"], str(tmp_path / "model"))
        assert session.run("y:0", {"x:0": [[3.0]]}).tolist() == [[6.0]]
        assert session.run("text:0") == b"hello"
    with tf1.Session(graph=tf1.Graph()) as session:
        with pytest.raises(RuntimeError, match="could not be found in SavedModel"):
            tf1.saved_model.load(session, ["none"], str(tmp_path / "model"))
        with pytest.raises(OSError, match="SavedModel file does not exist at"):
            tf1.saved_model.load(session, ["serve"], str(tmp_path / "none"))
    with pytest.raises(AssertionError, match="Export directory already exists"):
        tf1.saved_model.Builder(str(tmp_path / "model"))


def test_signatures_are_checked(graph_mode: None) -> None:
    text = tf1.placeholder(tf1.string, [None])
    number = tf1.placeholder(tf1.float32, [None])
    made = tf1.saved_model.classification_signature_def(text, None, number)
    assert tf1.saved_model.is_valid_signature(made)
    assert tf1.saved_model.is_valid_signature(
        tf1.saved_model.regression_signature_def(text, number)
    )
    with pytest.raises(ValueError, match="Regression examples must be a string Tensor"):
        tf1.saved_model.regression_signature_def(number, number)
    info = tf1.saved_model.build_tensor_info(number)
    assert tf1.saved_model.get_tensor_from_tensor_info(info) is number


def test_a_table_of_ones_own_is_saved(tmp_path: Path) -> None:
    class Table(tf.saved_model.experimental.TrackableResource):
        def _create_resource(self) -> Any:
            return tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64)

        def _initialize(self) -> Any:
            numbers = tf.constant([1, 2], tf.int64)
            return tf.raw_ops.LookupTableImportV2(
                table_handle=self.resource_handle, keys=["a", "b"], values=numbers
            )

    class Words(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = Table()
            self.table._initialize()

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def find(self, keys: Any) -> Any:
            return tf.raw_ops.LookupTableFindV2(
                table_handle=self.table.resource_handle,
                keys=keys,
                default_value=tf.constant(-1, tf.int64),
            )

    tf.saved_model.save(Words(), tmp_path / "m")
    model = tf.saved_model.load(tmp_path / "m")
    assert model.find(tf.constant(["b", "z"])).numpy().tolist() == [2, -1]


def test_a_view_walks_over_all_objects() -> None:
    root = tf.Module()
    root.rows = [tf.Variable(1.0)]
    root.inner = tf.Module()
    root.inner.back = root
    found = tf.train.TrackableView(root).descendants()
    assert found[0] is root
    assert len(found) == 4


def test_a_model_keeps_its_tables_and_second_names_of_functions(tmp_path: Any) -> None:
    class Words(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            known = tf.constant([0, 1], tf.int64)
            words = tf.lookup.KeyValueTensorInitializer(["a", "b"], known)
            self.table = tf.lookup.StaticHashTable(words, -1)
            self.vocabulary = tf.lookup.StaticVocabularyTable(words, 1)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def ids(self, keys: Any) -> Any:
            return self.table.lookup(keys), self.vocabulary.lookup(keys)

    words = Words()
    options = tf.saved_model.SaveOptions(function_aliases={"numbers": words.ids})
    tf.saved_model.save(words, tmp_path / "words", options=options)
    del words
    options = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)
    loaded = tf.saved_model.load(tmp_path / "words", options=options)
    for function in (loaded.ids, loaded.function_aliases["numbers"]):
        found = [each.numpy().tolist() for each in function(tf.constant(["b", "z"]))]
        assert found == [[1, -1], [1, 2]]


def test_a_function_tells_its_traces_to_who_saves_it() -> None:
    double = tf.function(lambda x: x * 2)
    double(tf.constant(1.0))
    assert list(double._trackable_children("savedmodel")) == ["trace_0"]
    assert double._trackable_children("checkpoint") == {}


def test_an_object_may_name_its_own_default_signature(tmp_path: Any) -> None:
    class Model(tf.Module):
        @property
        def _default_save_signature(self) -> Any:
            return tf.function(lambda x: x + 1, input_signature=[tf.TensorSpec([], tf.float32)])

    tf.saved_model.save(Model(), tmp_path / "model")
    serve = tf.saved_model.load(tmp_path / "model").signatures["serving_default"]
    (result,) = serve(tf.constant(1.0)).values()
    assert float(result) == 2


def test_inputs_of_a_structure_are_called_as_the_graph_calls_them(tmp_path: Path) -> None:
    class Pair(tf.Module):
        @tf.function(input_signature=[{"x": tf.TensorSpec([1]), "y": tf.TensorSpec([1])}])
        def add(self, inputs: Any) -> Any:
            return inputs["x"] + inputs["y"]

    tf.saved_model.save(Pair(), tmp_path / "m")
    serve = tf.saved_model.load(tmp_path / "m").signatures["serving_default"]
    result = serve(inputs=tf.constant([1.0]), inputs_1=tf.constant([2.0]))
    assert result["output_0"].numpy().tolist() == [3.0]


def test_a_function_without_results_is_no_signature(tmp_path: Path) -> None:
    class Held(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v = tf.Variable(1.0)

        @tf.function(input_signature=[tf.TensorSpec([])])
        def change(self, value: Any) -> None:
            self.v.assign(value)

        @property
        def _default_save_signature(self) -> Any:
            raise TypeError("none for such a model")

    tf.saved_model.save(Held(), tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert not loaded.signatures
    loaded.change(tf.constant(3.0))
    assert float(loaded.v) == 3.0


def test_arrays_become_tensors_of_the_dtype_that_was_saved(tmp_path: Path) -> None:
    import numpy as np

    class Double(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def call(self, x: Any) -> Any:
            return x * 2

        @tf.function
        def never_traced(self, x: Any) -> Any:
            return x

    tf.saved_model.save(Double(), tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.call(np.array([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="Found zero restored functions for caller function"):
        loaded.never_traced(1.0)


def test_an_attribute_named_signatures_is_not_lost(tmp_path):
    module = tf.Module()
    module.signatures = tf.Variable(1.0)
    with pytest.raises(ValueError, match=r"del obj\.signatures"):
        tf.saved_model.save(module, str(tmp_path / "model"))


def test_nested_results_are_no_signature(tmp_path):
    function = tf.function(lambda x: {"a": x, "b": (x, x)}).get_concrete_function(tf.constant(1.0))
    with pytest.raises(ValueError, match="non-Tensor value"):
        tf.saved_model.save(tf.Module(), str(tmp_path / "model"), function)


def test_saving_inside_of_a_function_raises(tmp_path):
    @tf.function
    def saving():
        tf.saved_model.save(tf.Module(), str(tmp_path / "model"))

    with pytest.raises(AssertionError, match="not supported inside a traced"):
        saving()


def test_aliases_are_for_functions(tmp_path):
    function = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec(None)])
    folder = str(tmp_path / "model")
    options = tf.saved_model.SaveOptions(
        function_aliases={"mine": function.get_concrete_function()}
    )
    tf.saved_model.save(tf.Module(), folder, function, options=options)
    options = tf.saved_model.SaveOptions(
        function_aliases={"mine": [function.get_concrete_function()]}
    )
    tf.saved_model.save(tf.Module(), folder, function, options=options)
    options = tf.saved_model.SaveOptions(function_aliases={"mine": abs})
    with pytest.raises(TypeError, match="Unsupported type"):
        tf.saved_model.save(tf.Module(), folder, function, options=options)


def test_a_policy_keeps_the_devices_of_variables(tmp_path):
    placewise.simulate("2")
    policy = tf.saved_model.experimental.VariablePolicy.SAVE_VARIABLE_DEVICES
    module = tf.Module()
    with tf.device("/GPU:1"):
        module.w = tf.Variable([1.0, 2.0])
    path = str(tmp_path / "kept")
    options = tf.saved_model.SaveOptions(experimental_variable_policy=policy)
    tf.saved_model.save(module, path, options=options)
    again = tf.saved_model.LoadOptions(experimental_variable_policy="save_variable_devices")
    kept = tf.saved_model.load(path, options=again).w
    assert kept.device.endswith("GPU:1") and kept.numpy().tolist() == [1.0, 2.0]
    assert tf.saved_model.load(path).w.device.endswith("GPU:0")


def test_copies_of_a_mirrored_variable_are_not_saved_one_by_one(tmp_path):
    placewise.simulate("2")
    module = tf.Module()
    with tf.distribute.MirroredStrategy().scope():
        module.w = tf.Variable(1.0)
    options = tf.saved_model.SaveOptions(
        experimental_variable_policy="expand_distributed_variables"
    )
    with pytest.raises(NotImplementedError, match="SAVE_VARIABLE_DEVICES"):
        tf.saved_model.save(module, str(tmp_path / "expanded"), options=options)


def test_registered_classes_come_back_as_themselves(tmp_path):
    load = tf.__internal__.saved_model.load

    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.put = []

        def take(self, name, value):
            self.put.append(name)
            setattr(self, name, value)

    version = load.VersionedTypeRegistration(
        lambda proto: Scaled(), 2, 1, 1, setter=lambda obj, name, value: obj.take(name, value)
    )
    load.register_revived_type("scaled_of_a_test", lambda obj: isinstance(obj, Scaled), [version])
    root = tf.Module()
    root.inner = Scaled()
    root.inner.scale = tf.Variable(3.0)
    tf.saved_model.save(root, str(tmp_path))
    again = tf.saved_model.load(str(tmp_path)).inner
    assert type(again) is Scaled
    assert "scale" in again.put
    assert again.scale.numpy() == 3.0


def test_functions_of_ragged_and_sparse_tensors_are_saved(tmp_path: Path) -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32, 1)])
        def ragged(self, x: Any) -> Any:
            return x * 2

        @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float32)])
        def sparse(self, x: Any) -> Any:
            return {"doubled": tf.sparse.map_values(tf.multiply, x, 2.0)}

    model, folder = Model(), str(tmp_path / "model")
    tf.saved_model.save(model, folder, {"a:b": model.ragged, "sparse": model.sparse})
    loaded = tf.saved_model.load(folder)
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]])
    assert loaded.ragged(ragged).to_list() == [[2.0, 4.0], [6.0]]
    doubled = loaded.sparse(tf.sparse.from_dense([[0.0, 1.0]]))["doubled"]
    assert tf.sparse.to_dense(doubled).numpy().tolist() == [[0.0, 2.0]]
    served = loaded.signatures["a:b"](x=ragged.values, x_1=ragged.row_splits)
    assert served["output_0"].to_list() == [[2.0, 4.0], [6.0]]
    with tf.Graph().as_default(), tf1.Session() as session:
        signature = tf1.saved_model.load(session, ["serve"], folder).signature_def["a:b"]
        assert {key: info.name for key, info in signature.inputs.items()} == {
            "x": "a_b_x:0",
            "x_1": "a_b_x_1:0",
        }
        output = tf1.saved_model.get_tensor_from_tensor_info(signature.outputs["output_0"])
        feeds = {"a_b_x:0": [1.0, 2.0, 3.0], "a_b_x_1:0": [0, 2, 3]}
        assert session.run(output, feeds).to_list() == [[2.0, 4.0], [6.0]]


def test_default_values_are_those_of_the_signature(tmp_path: Path) -> None:
    scalar = tf.TensorSpec([], tf.float32)

    @tf.function(input_signature=[scalar, {"z": scalar}])
    def total(x: Any = tf.constant(10.0), y: Any = {"z": tf.constant(20.0)}) -> Any:  # noqa: B006, B008
        return x + y["z"]

    model = tf.Module()
    model.total = total
    folder = str(tmp_path / "model")
    tf.saved_model.save(model, folder, total)
    with tf.Graph().as_default(), tf1.Session() as session:
        signature = tf1.saved_model.load(session, ["serve"], folder).signature_def[
            "serving_default"
        ]
        assert sorted(float(tf.make_ndarray(v)) for v in signature.defaults.values()) == [10, 20]
        output = signature.outputs["output_0"].name
        assert session.run(output) == 30.0
        assert session.run(output, {signature.inputs["x"].name: 1.0}) == 21.0


def test_what_cannot_be_a_signature_or_is_not_reached_raises(tmp_path: Path) -> None:
    model, kept = tf.Module(), tf.Variable(2.0)
    model.double = tf.function(lambda x: 2.0 * x)
    model.double(tf.constant(1.0))
    with pytest.raises(ValueError, match="Expected a TensorFlow function"):
        tf.saved_model.save(model, str(tmp_path / "a"), model.double)
    model.times = tf.function(lambda x: kept * x)
    model.times(tf.constant(1.0))
    with pytest.raises(KeyError, match="not reachable from root"):
        tf.saved_model.save(model, str(tmp_path / "b"))


def test_results_of_loaded_functions_are_described_by_specs(tmp_path: Path) -> None:
    module = tf.Module()
    signature = [tf.TensorSpec([None, 3], tf.float32, name="x")]
    module.one = tf.function(lambda x: x + 1.0, signature)
    module.two = tf.function(lambda x: (x, [x, {"k": x}]), signature)
    path = str(tmp_path / "saved")
    tf.saved_model.save(module, path, signatures=module.one)
    loaded = tf.saved_model.load(path)

    def spec(name: str) -> Any:
        return tf.TensorSpec([None, 3], tf.float32, name)

    served = loaded.signatures["serving_default"]
    assert served.structured_outputs == {"output_0": spec("output_0")}
    assert served.structured_outputs["output_0"].name == "output_0"
    assert repr(served.output_shapes["output_0"]) == "TensorShape([None, 3])"
    first, (second, third) = loaded.two.concrete_functions[0].structured_outputs
    assert [first.name, second.name, third["k"].name] == [
        "tensor_0",
        "tensor_1_0",
        "tensor_1_1_k",
    ]
    again = str(tmp_path / "again")
    tf.saved_model.save(loaded, again, signatures=loaded.signatures)
    served = tf.saved_model.load(again).signatures["serving_default"]
    assert served(tf.ones([1, 3]))["output_0"].numpy().tolist() == [[2.0, 2.0, 2.0]]


def _graph_model(folder: Path, use_resource: bool) -> str:
    """Write a SavedModel of TensorFlow 1: y = x * w, and a table of words."""
    tf1 = tf.compat.v1
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [None], name="x")
        w = tf1.get_variable("w", initializer=3.0, use_resource=use_resource)
        y = tf.multiply(x, w, name="y")
        words = tf1.placeholder(tf.string, [None], name="words")
        pairs = tf.lookup.KeyValueTensorInitializer(["a"], [7])
        ids = tf.lookup.StaticHashTable(pairs, -1).lookup(words)
        session.run([tf1.global_variables_initializer(), tf1.tables_initializer()])
        builder = tf1.saved_model.Builder(str(folder))
        info = tf1.saved_model.build_tensor_info
        definition = tf1.saved_model.build_signature_def
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {
                "scale": definition({"x": info(x)}, {"y": info(y)}),
                "words": definition({"words": info(words)}, {"ids": info(ids)}),
            },
            main_op=tf1.tables_initializer(),
        )
        builder.save()
    return str(folder)


@pytest.mark.parametrize("use_resource", [True, False])
def test_a_model_of_a_graph_gives_functions_for_functions_and_tapes(tmp_path, use_resource):
    loaded = tf.saved_model.load(_graph_model(tmp_path / "model", use_resource))
    scale, x = loaded.signatures["scale"], tf.constant([2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda value: scale(value)["y"])(x)
    assert y.numpy().tolist() == [6.0]
    assert tape.gradient(y, x).numpy().tolist() == [3.0]
    assert loaded.signatures["words"](tf.constant(["a", "b"]))["ids"].numpy().tolist() == [7, -1]
    assert loaded.prune("x:0", "y:0")(x).numpy().tolist() == [6.0]


def test_variables_of_a_model_of_a_graph_are_the_programs(tmp_path):
    path = _graph_model(tmp_path / "model", use_resource=True)
    loaded = tf.saved_model.load(path)
    (w,) = loaded.variables
    x = tf.constant([2.0])
    with tf.GradientTape() as tape:
        y = loaded.signatures["scale"](x=x)["y"]
    assert tape.gradient(y, w).numpy() == 2.0
    w.assign(5.0)
    assert loaded.signatures["scale"](x)["y"].numpy().tolist() == [10.0]
    loaded.restore(f"{path}/variables/variables")
    assert w.numpy() == 3.0


def test_a_part_of_a_graph_needs_its_placeholders(tmp_path):
    loaded = tf.saved_model.load(_graph_model(tmp_path / "model", use_resource=True))
    with pytest.raises(Exception, match="depends transitively on placeholder"):
        loaded.prune([], "y:0")


class _Untraced(tf.Module):
    @tf.function
    def shift(self, x):
        return x + 1

    @tf.function(input_signature=[tf.TensorSpec([])])
    def scale(self, x):
        return tf.multiply(2.0, x, name="scaled")


def test_functions_without_a_trace_are_told_of(tmp_path, caplog):
    with caplog.at_level("INFO", "absl"):
        tf.saved_model.save(_Untraced(), str(tmp_path))
    assert "Found untraced functions such as shift while saving (showing 1 of 1)." in caplog.text


def test_debug_info_has_the_line_of_each_operation(tmp_path):
    options = tf.saved_model.SaveOptions(save_debug_info=True)
    tf.saved_model.save(_Untraced(), str(tmp_path), options=options)
    data = (tmp_path / "debug" / "saved_model_debug_info.pb").read_bytes()
    info = messages.GraphDebugInfo.FromString(data)
    (number,) = {v for k, v in info.name_to_trace_id.items() if k.startswith("scaled@")}
    frame = info.frames_by_id[info.traces_by_id[number].frame_id[0]]
    assert info.files[frame.file_index] == __file__


def test_a_model_of_a_graph_has_the_values_of_the_session(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        model = tf.Module()
        model.v = tf.Variable(3.0)
        model.times = tf.function(lambda x: model.v * x)
        signature = model.times.get_concrete_function(tf.constant([1.0]))
        session.run(model.v.initializer)
        session.run(model.v.assign(5.0))
        tf.saved_model.save(model, tmp_path, signature)
    loaded = tf.saved_model.load(tmp_path)
    assert loaded.times(tf.constant([2.0])).numpy().tolist() == [10.0]
    assert loaded.signatures["serving_default"](x=tf.constant([3.0]))["output_0"].numpy() == 15.0


def test_a_dataset_that_a_function_reads_is_saved(tmp_path: Path) -> None:
    model = tf.Module()
    words = tf.data.Dataset.from_tensor_slices((["a", "b", "c"], [1, 2, 3]))
    model.data = words.map(lambda word, n: (word + "!", n * n)).filter(lambda _, n: n > 1).batch(2)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def total(factor: Any) -> Any:
        text, total = tf.constant(""), 0
        for words, numbers in model.data:
            text, total = text + tf.strings.reduce_join(words), total + tf.reduce_sum(numbers)
        return text, factor * total

    model.total = total
    total(tf.constant(1))
    tf.saved_model.save(model, tmp_path)
    text, number = tf.saved_model.load(tmp_path).total(tf.constant(2))
    assert (text.numpy(), int(number)) == (b"b!c!", 26)


class Dependent(tf.Module):
    """Needs what it names to be loaded before it."""

    needed: Any = None

    def _deserialization_dependencies(self, children: dict[str, Any]) -> dict[str, Any]:
        return {"needed": self.needed}


def test_objects_say_what_is_loaded_before_them(tmp_path: Path) -> None:
    model = Dependent()
    model.needed = tf.Variable(1.0)
    tf.saved_model.save(model, tmp_path)
    assert tf.saved_model.load(tmp_path).needed.numpy() == 1.0
    made = messages.SavedModel.FromString((tmp_path / "saved_model.pb").read_bytes())
    node = made.meta_graphs[0].object_graph_def.nodes[0]
    assert [(one.local_name, one.node_id) for one in node.dependencies] == [("needed", 1)]


def test_dependencies_in_a_circle_are_refused(tmp_path: Path) -> None:
    first, second = Dependent(), Dependent()
    first.needed, second.needed = second, first
    with pytest.raises(ValueError, match="dependency cycle in the saved Trackable") as caught:
        tf.saved_model.save(first, tmp_path)
    assert "Node 1 = root.needed" in str(caught.value)


def test_dependencies_have_to_be_tracked(tmp_path: Path) -> None:
    class Other(tf.Module):
        def _deserialization_dependencies(self, children: dict[str, Any]) -> dict[str, Any]:
            return {"other": tf.Variable(1.0)}

    with pytest.raises(ValueError, match=r"Found an untracked dependency\. Object root"):
        tf.saved_model.save(Other(), tmp_path)


def test_the_graph_of_a_model_has_the_devices_that_a_policy_keeps(tmp_path: Path) -> None:
    model = tf.Module()
    with tf.device("CPU:0"):
        model.v = tf.Variable(1.0, name="v")
    policy = tf.saved_model.experimental.VariablePolicy.SAVE_VARIABLE_DEVICES
    for name, options, device in (
        ("kept", tf.saved_model.SaveOptions(experimental_variable_policy=policy), "CPU:0"),
        ("plain", None, ""),
    ):
        tf.saved_model.save(model, tmp_path / name, options=options)
        made = messages.SavedModel.FromString((tmp_path / name / "saved_model.pb").read_bytes())
        nodes = {node.name: node for node in made.meta_graphs[0].graph_def.node}
        assert nodes["v"].device.endswith(device) and bool(nodes["v"].device) == bool(device)


def test_other_programs_learn_in_which_order_a_function_writes_and_reads(tmp_path: Path) -> None:
    model = tf.Module()
    model.v = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([])])
    def changed(x: Any) -> Any:
        before = model.v + x
        model.v.assign(x)
        between = model.v * 2.0
        if x > 0.0:
            model.v.assign_add(1.0)
        return before + between + model.v

    model.changed = changed
    tf.saved_model.save(model, tmp_path)
    made = messages.SavedModel.FromString((tmp_path / "saved_model.pb").read_bytes())
    graph = made.meta_graphs[0].graph_def
    named = {each.signature.name: each for each in graph.library.function}
    function = next(each for name, each in named.items() if name.startswith("__inference_changed"))
    for nodes in (function.node_def, graph.node):
        state = [node for node in nodes if node.op in ("ReadVariableOp", "AssignVariableOp", "If")]
        state = [node for node in state if not node.name.startswith(("save", "v/", "Variable"))]
        assert [node.op for node in state] == [
            "ReadVariableOp",
            "AssignVariableOp",
            "ReadVariableOp",
            "If",
            "ReadVariableOp",
        ]
        for before, after in itertools.pairwise(state):
            assert f"^{before.name}" in after.input
    assert tf.saved_model.load(tmp_path).changed(3.0).numpy() == 3.0 + 6.0 + 4.0


class Product(tf.Module):
    def __init__(self):
        super().__init__()
        self.x = tf.Variable([[1.0], [2.0]])

    @tf.function(input_signature=[tf.TensorSpec([1, 2])])
    def of(self, row):
        return tf.matmul(row, self.x)


def test_a_model_loaded_in_a_graph_has_the_values_that_were_saved(tmp_path):
    tf.saved_model.save(Product(), str(tmp_path))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = tf.saved_model.load(str(tmp_path))
        session.run(loaded.x.initializer)
        assert session.run(loaded.x).tolist() == [[1.0], [2.0]]
        session.run(loaded.x.assign_add([[1.0], [1.0]]))
        assert session.run(loaded.of(tf.ones([1, 2]))).tolist() == [[5.0]]
        assert tf.compat.v1.global_variables() == [loaded.x]
        assert tf.compat.v1.trainable_variables() == []


def test_a_model_saved_in_a_graph_keeps_the_values_of_the_session(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        model = Product()
        session.run(model.x.initializer)
        session.run(model.x.assign_add([[1.0], [1.0]]))
        tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.x.numpy().tolist() == [[2.0], [3.0]]
    assert loaded.of([[1.0, 1.0]]).numpy().tolist() == [[5.0]]


def test_a_model_of_a_graph_is_not_saved_without_a_session(tmp_path):
    with tf.Graph().as_default():
        model = Product()
        with pytest.raises(RuntimeError, match="in graph mode without a default session"):
            tf.saved_model.save(model, str(tmp_path))


def test_a_table_of_a_model_loaded_in_a_graph_is_filled_with_the_others(tmp_path):
    module = tf.Module()
    words = tf.lookup.KeyValueTensorInitializer(["x"], tf.constant([7], tf.int64))
    module.table = tf.lookup.StaticHashTable(words, -1)
    module.find = tf.function(module.table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
    tf.saved_model.save(module, str(tmp_path))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = tf.saved_model.load(str(tmp_path))
        session.run(tf.compat.v1.tables_initializer())
        assert session.run(loaded.find(tf.constant("x"))) == 7


@pytest.mark.parametrize("name", ["_initialize", "_create_resource"])
def test_what_makes_a_table_has_to_be_a_function(tmp_path: Path, name: str) -> None:
    module = tf.Module()
    words = tf.lookup.KeyValueTensorInitializer(["x"], tf.constant([7], tf.int64))
    module.table = tf.lookup.StaticHashTable(words, -1)
    module.find = tf.function(module.table.lookup, input_signature=[tf.TensorSpec([], tf.string)])
    tf.saved_model.save(module, tmp_path)
    file = tmp_path / "saved_model.pb"
    made = messages.SavedModel.FromString(file.read_bytes())
    for node in made.meta_graphs[0].object_graph_def.nodes:
        for child in node.children:
            if child.local_name == name:
                child.node_id = 0
    file.write_bytes(made.SerializeToString())
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"'{name}' of .* is no function"):
        tf.saved_model.load(tmp_path)


def test_a_loaded_object_can_be_called_if_the_saved_one_could(tmp_path: Path) -> None:
    class Next(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([])])
        def __call__(self, x: Any) -> Any:
            return x + 1.0

    for name, module in (("next", Next()), ("plain", tf.Module())):
        tf.saved_model.save(module, tmp_path / name)
        assert callable(tf.saved_model.load(tmp_path / name)) == (name == "next")
    assert tf.saved_model.load(tmp_path / "next")(1.0).numpy() == 2.0
