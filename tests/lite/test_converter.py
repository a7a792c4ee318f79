"""Models converted to TensorFlow Lite give the numbers that they gave before."""

import numpy as np
import pytest

import placewise as tf

pytest.importorskip("ai_edge_litert")


def random(*shape):
    return np.random.RandomState(0).randn(*shape).astype(np.float32)


def interpreted(model, *arrays):
    """Return what the interpreter gives, as a list in the order of the results."""
    interpreter = tf.lite.Interpreter(model_content=model)
    runner = interpreter.get_signature_runner()
    details = runner.get_input_details()
    names = sorted(details, key=lambda name: details[name]["index"])
    results = runner(**dict(zip(names, arrays, strict=True)))
    return [results[f"output_{number}"] for number in range(len(results))]


def sequential(shape, *stack, dtype="float32"):
    return tf.keras.Sequential([tf.keras.Input(shape, dtype=dtype), *stack])


MODELS = {
    "convolutions": lambda: sequential(
        (14, 14, 2),
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.DepthwiseConv2D(3, padding="same"),
        tf.keras.layers.ReLU(6.0),
        tf.keras.layers.SeparableConv2D(4, 3),
        tf.keras.layers.Conv2DTranspose(4, 3, strides=2, padding="same"),
        tf.keras.layers.UpSampling2D(),
        tf.keras.layers.ZeroPadding2D(),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dropout(0.5),
        tf.keras.layers.Dense(10, activation="softmax"),
    ),
    "dense": lambda: sequential(
        (14,),
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dense(64, activation="gelu"),
        tf.keras.layers.LayerNormalization(),
        tf.keras.layers.Dense(5),
    ),
    "sequences": lambda: sequential(
        (12, 3),
        tf.keras.layers.Conv1D(4, 3, dilation_rate=2, padding="same", activation="swish"),
        tf.keras.layers.Conv1D(4, 3, padding="causal"),
        tf.keras.layers.MaxPooling1D(2),
        tf.keras.layers.GlobalMaxPooling1D(),
    ),
    "lstm": lambda: sequential(
        (6, 3),
        tf.keras.layers.LSTM(5, return_sequences=True),
        tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4)),
    ),
    "gru": lambda: sequential((4, 3), tf.keras.layers.GRU(5, unroll=True)),
    "images": lambda: sequential(
        (8, 8, 3),
        tf.keras.layers.Resizing(5, 7),
        tf.keras.layers.Rescaling(1 / 255.0, offset=1),
        tf.keras.layers.UpSampling2D(2, interpolation="bilinear"),
        tf.keras.layers.Cropping2D(1),
        tf.keras.layers.AveragePooling2D(2),
        tf.keras.layers.LeakyReLU(),
        tf.keras.layers.PReLU(),
    ),
    "groups": lambda: sequential((6, 6, 4), tf.keras.layers.Conv2D(8, 3, groups=2)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_keras_model_keeps_its_numbers(name):
    tf.keras.utils.set_random_seed(1)
    model = MODELS[name]()
    batch = random(1, *model.input_shape[1:])
    converted = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    (result,) = interpreted(converted, batch)
    np.testing.assert_allclose(result, model(batch), rtol=1e-4, atol=1e-5)


def test_all_activations_keep_their_numbers():
    names = ["relu", "sigmoid", "tanh", "elu", "selu", "softplus", "softsign", "swish", "gelu"]
    value = tf.keras.Input((5, 8))
    model = tf.keras.Model(value, [tf.keras.layers.Activation(name)(value) for name in names])
    batch = 5 * random(1, 5, 8)
    results = interpreted(tf.lite.TFLiteConverter.from_keras_model(model).convert(), batch)
    for name, result, expected in zip(names, results, model(batch), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5, err_msg=name)


def test_attention_keeps_its_numbers():
    value = tf.keras.Input((5, 8))
    model = tf.keras.Model(value, tf.keras.layers.MultiHeadAttention(2, 4)(value, value) + value)
    (result,) = interpreted(
        tf.lite.TFLiteConverter.from_keras_model(model).convert(), random(1, 5, 8)
    )
    np.testing.assert_allclose(result, model(random(1, 5, 8)), rtol=1e-4, atol=1e-5)


def test_several_inputs_and_outputs_have_their_names():
    first, second = tf.keras.Input((4,), name="first"), tf.keras.Input((4,), name="second")
    model = tf.keras.Model([first, second], [first + second, first * 2.0])
    interpreter = tf.lite.Interpreter(
        model_content=tf.lite.TFLiteConverter.from_keras_model(model).convert()
    )
    signature = {"inputs": ["first", "second"], "outputs": ["output_0", "output_1"]}
    assert interpreter.get_signature_list() == {"serving_default": signature}
    runner = interpreter.get_signature_runner("serving_default")
    results = runner(first=np.ones((1, 4), "f"), second=np.full((1, 4), 2, "f"))
    assert results["output_0"].tolist() == [[3.0] * 4]
    assert results["output_1"].tolist() == [[2.0] * 4]


def test_the_batch_may_have_any_size():
    model = sequential(
        (14,), tf.keras.layers.Dense(3), tf.keras.layers.Reshape((3, 1)), tf.keras.layers.Flatten()
    )
    interpreter = tf.lite.Interpreter(
        model_content=tf.lite.TFLiteConverter.from_keras_model(model).convert()
    )
    details = interpreter.get_input_details()[0]
    assert details["shape"].tolist() == [1, 14]
    assert details["shape_signature"].tolist() == [-1, 14]
    interpreter.resize_tensor_input(details["index"], [7, 14])
    interpreter.allocate_tensors()
    interpreter.set_tensor(details["index"], random(7, 14))
    interpreter.invoke()
    result = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    np.testing.assert_allclose(result, model(random(7, 14)), rtol=1e-4, atol=1e-5)


def test_embeddings_take_integers():
    model = sequential(
        (6,), tf.keras.layers.Embedding(11, 3), tf.keras.layers.Flatten(), dtype="int32"
    )
    tokens = np.array([[1, 2, 3, 4, 5, 10]], np.int32)
    (result,) = interpreted(tf.lite.TFLiteConverter.from_keras_model(model).convert(), tokens)
    np.testing.assert_allclose(result, model(tokens))


def test_a_function_is_converted_with_its_variables():
    variable = tf.Variable([2.0, 3.0])
    function = tf.function(lambda x: tf.matmul(x, tf.reshape(variable, [2, 1])))
    concrete = function.get_concrete_function(tf.TensorSpec([1, 2], tf.float32, name="x"))
    model = tf.lite.TFLiteConverter.from_concrete_functions([concrete]).convert()
    assert interpreted(model, np.ones((1, 2), "f"))[0].tolist() == [[5.0]]


def test_only_concrete_functions_are_taken():
    with pytest.raises(ValueError, match="list of ConcreteFunction"):
        tf.lite.TFLiteConverter.from_concrete_functions([tf.function(lambda x: x)])


def test_a_saved_model_is_converted(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(3.0)
    module.f = tf.function(
        lambda x: {"y": x * module.v}, input_signature=[tf.TensorSpec([None], tf.float32, "x")]
    )
    tf.saved_model.save(module, str(tmp_path), signatures=module.f)
    model = tf.lite.TFLiteConverter.from_saved_model(str(tmp_path)).convert()
    runner = tf.lite.Interpreter(model_content=model).get_signature_runner()
    assert runner(x=np.array([2.0], "f"))["y"].tolist() == [6.0]
    with pytest.raises(ValueError, match="Invalid signature key 'other'"):
        tf.lite.TFLiteConverter.from_saved_model(str(tmp_path), ["other"])


def test_a_session_is_converted():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [1, 2], name="x")
        weight = v1.get_variable("w", initializer=[[2.0], [3.0]])
        y = tf.matmul(x, weight, name="y")
        session.run(v1.global_variables_initializer())
        model = v1.lite.TFLiteConverter.from_session(session, [x], [y]).convert()
    interpreter = tf.lite.Interpreter(model_content=model)
    interpreter.allocate_tensors()
    assert interpreter.get_input_details()[0]["name"] == "x"
    assert interpreter.get_output_details()[0]["name"] == "y"
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.ones((1, 2), "f"))
    interpreter.invoke()
    result = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    assert result.tolist() == [[5.0]]


def test_what_has_no_operator_is_named():
    function = tf.function(lambda x: tf.math.lgamma(x))
    concrete = function.get_concrete_function(tf.TensorSpec([2], tf.float32))
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    with pytest.raises(Exception, match=r"'tf\.Lgamma' op is neither a custom op nor a flex op"):
        converter.convert()


def test_loops_say_what_to_do():
    model = sequential((4, 3), tf.keras.layers.GRU(2))
    with pytest.raises(Exception, match="unroll=True"):
        tf.lite.TFLiteConverter.from_keras_model(model).convert()
