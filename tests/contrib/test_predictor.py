"""`tf.contrib.predictor.from_saved_model`, as in TensorFlow 1.15."""

import pytest

import placewise as tf
import placewise.compat.v1 as tf1

v1 = tf.compat.v1


@pytest.fixture
def model(tmp_path):
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.multiply(x, v1.get_variable("v", initializer=3.0), name="y")
        session.run(v1.global_variables_initializer())
        v1.saved_model.simple_save(session, folder, {"a": x}, {"b": y})
    return folder


def test_a_model_is_called_with_a_dict(model):
    predict = tf1.contrib.predictor.from_saved_model(model)
    assert predict({"a": [1.0, 2.0]})["b"].tolist() == [3.0, 6.0]
    assert list(predict.feed_tensors) == ["a"]
    assert list(predict.fetch_tensors) == ["b"]
    assert predict.graph is predict.session.graph


def test_tensors_are_named(model):
    predict = tf1.contrib.predictor.from_saved_model(
        model, input_names={"q": "x:0"}, output_names={"r": "y:0"}
    )
    assert predict({"q": [2.0]})["r"].tolist() == [6.0]


def test_names_that_do_not_fit_are_errors(model):
    load = tf1.contrib.predictor.from_saved_model
    with pytest.raises(ValueError, match=r"Got unexpected keys in input_dict: \{'zz'\}"):
        load(model)({"zz": [1.0]})
    with pytest.raises(ValueError, match="must both be specified or both be unspecified"):
        load(model, input_names={"q": "x:0"})
    with pytest.raises(ValueError, match="You must specify at most one of"):
        load(model, "serving_default", input_names={"q": "x:0"}, output_names={"r": "y:0"})


def test_distributions_are_those_of_tensorflow_1():
    assert tf1.contrib.distributions.Normal is v1.distributions.Normal
