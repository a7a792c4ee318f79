"""Functions that one process serves and others call."""

import pytest

import placewise as tf
from tests.cluster.processes import free_port

rpc = tf.distribute.experimental.rpc


@tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32)])
def add(a, b):
    return {"sum": a + b, "both": (a, b)}


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def check(x):
    tf.debugging.assert_positive(x, message="not positive")
    return x


@pytest.fixture(scope="module")
def client():
    """A client of a server with two functions."""
    address = f"localhost:{free_port()}"
    server = rpc.Server.create("grpc", address)
    server.register("add", add)
    server.register("check", check)
    server.start()
    made = rpc.Client.create("grpc", address, timeout_in_ms=20_000)
    made.server = server
    return made


def test_registered_functions_are_methods_of_the_client(client):
    result = client.add(tf.constant(1), tf.constant(2))
    assert result.is_ok().numpy()
    value = result.get_value()
    assert value["sum"].numpy() == 3
    assert [part.numpy() for part in value["both"]] == [1, 2]
    assert client.add_blocking(tf.constant(3), tf.constant(4))["sum"].numpy() == 7
    assert client.check(tf.constant([1.0, 2.0])).get_value().numpy().tolist() == [1, 2]


def test_errors_are_values_until_the_result_is_asked_for(client):
    result = client.call("check", [tf.constant([-1.0])], tf.TensorSpec([None], tf.float32))
    assert not result.is_ok().numpy()
    code, text = result.get_error()
    assert code.numpy() == tf.errors.INVALID_ARGUMENT
    assert b"not positive" in text.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not positive"):
        result.get_value()


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("nothing", [], "nothing is not registered."),
        ("add", [1], r"index 1 is out of range \[0, 1\)"),
        ("add", [1.0, 2.0], r"Expects arg\[0\] to be int32 but float32 is provided"),
        ("add", [[1], [2]], r"Expects arg\[0\] to have shape \(\)"),
    ],
)
def test_calls_that_do_not_fit_are_errors(client, name, arguments, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        client.call(name, [tf.constant(value) for value in arguments]).get_value()


def test_what_cannot_be_served_is_refused(client):
    with pytest.raises(tf.errors.InvalidArgumentError, match="add is already registered"):
        client.server.register("add", add)
    with pytest.raises(ValueError, match="Input signature not specified"):
        client.server.register("plain", tf.function(lambda x: x))
    with pytest.raises(ValueError, match="Only TF functions"):
        client.server.register("lambda", lambda x: x)
    with pytest.raises(ValueError, match="Only GRPC"):
        rpc.Client.create("http", "localhost:1")


def test_a_server_that_is_not_there_is_an_error_in_time():
    with pytest.raises(tf.errors.DeadlineExceededError):
        rpc.Client.create("grpc", f"localhost:{free_port()}", timeout_in_ms=200)
