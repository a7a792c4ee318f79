"""Who is answered: hosts of the cluster, or those who know the token; and TLS."""

import shutil
import subprocess

import pytest

import placewise.v1 as tf
from placewise.cluster.access import Access, peer_host
from placewise.cluster.channels import TOKEN_HEADER
from placewise.cluster.settings import Settings
from placewise.cluster.task import tasks


class Context:
    """A caller, as gRPC shows it."""

    def __init__(self, peer, token=None):
        self._peer, self._token = peer, token

    def peer(self):
        """Return the address of the caller."""
        return self._peer

    def invocation_metadata(self):
        """Return the headers of the call."""
        return () if self._token is None else ((TOKEN_HEADER, self._token),)


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:10.0.0.7:4242", "10.0.0.7"),
        ("ipv6:%5B::1%5D:4242", "::1"),
        ("ipv6:[::ffff:10.0.0.7]:1", "10.0.0.7"),
    ],
)
def test_callers_are_known_by_their_address(peer, host):
    assert peer_host(peer) == host


def test_without_a_token_only_hosts_of_the_cluster_are_answered():
    access = Access(["localhost:1", "10.1.2.3:2"], Settings())
    assert not access.refusal(Context("ipv4:127.0.0.1:9"))
    assert not access.refusal(Context("ipv4:10.1.2.3:9"))
    assert "10.9.9.9 is no host of this cluster" in access.refusal(Context("ipv4:10.9.9.9:9"))
    assert Access(["10.1.2.3:2"], Settings()).refusal(Context("ipv4:127.0.0.1:9"))


def test_a_token_is_asked_of_everybody():
    access = Access(["localhost:1"], Settings(token="secret"))
    assert not access.refusal(Context("ipv4:10.9.9.9:9", "secret"))
    assert "token is missing or wrong" in access.refusal(Context("ipv4:127.0.0.1:9", "other"))
    assert "token is missing or wrong" in access.refusal(Context("ipv4:127.0.0.1:9"))


def test_a_session_needs_the_token_of_its_server(graph_mode, monkeypatch):
    monkeypatch.setenv("PLACEWISE_CLUSTER_TOKEN", "secret")
    server = tf.train.Server.create_local_server()
    monkeypatch.setattr(tasks, "by_target", {})
    x = tf.constant(1) + 1
    with tf.Session(server.target) as session:
        assert session.run(x) == 2
    monkeypatch.setenv("PLACEWISE_CLUSTER_TOKEN", "other")
    with pytest.raises(tf.errors.PermissionDeniedError, match="token is missing or wrong"):
        tf.Session(server.target)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_connections_can_be_encrypted(graph_mode, monkeypatch, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    command += ["-keyout", key, "-out", certificate, "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.setenv("PLACEWISE_CLUSTER_CERTIFICATE", str(certificate))
    monkeypatch.setenv("PLACEWISE_CLUSTER_KEY", str(key))
    monkeypatch.setenv("PLACEWISE_CLUSTER_CA", str(certificate))
    server = tf.train.Server.create_local_server()
    monkeypatch.setattr(tasks, "by_target", {})
    with tf.Session(server.target) as session:
        assert session.run(tf.constant(1) + 1) == 2
    monkeypatch.delenv("PLACEWISE_CLUSTER_CERTIFICATE")
    monkeypatch.delenv("PLACEWISE_CLUSTER_CA")
    monkeypatch.setenv("PLACEWISE_CLUSTER_START_TIMEOUT", "1")
    with pytest.raises((tf.errors.DeadlineExceededError, tf.errors.UnavailableError)):
        tf.Session(server.target)


def test_a_setting_that_is_none_is_named(graph_mode, monkeypatch):
    monkeypatch.setenv("PLACEWISE_CLUSTER_TIMEOUT", "soon")
    with pytest.raises(tf.errors.InvalidArgumentError, match="PLACEWISE_CLUSTER_TIMEOUT must be"):
        tf.train.Server.create_local_server()
