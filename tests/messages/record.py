"""Writes the data the tests of messages compare with; runs under TensorFlow, not under placewise.

    PYTHONPATH=src python -c "from placewise.messages.tables import all_tables
    print(*all_tables().files, sep='\\n')" > /tmp/files
    tf1-python tests/messages/record.py /tmp/files /tmp/tf1.json
    tf2-python tests/messages/record.py /tmp/files /tmp/tf2.json
    python tests/messages/record.py merge /tmp/tf1.json /tmp/tf2.json

`descriptors.json` gets every message of TensorFlow 2 in those files, what only TensorFlow 1 has,
and in `filled` the hash of each message's bytes and text with every field set; `samples.json` gets
real messages as bytes and text.
"""

import base64
import glob
import hashlib
import importlib
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def digest(message):
    """Return one hash over the bytes and the text of a message."""
    said = message.SerializeToString(deterministic=True) + str(message).encode()
    return hashlib.sha256(said).hexdigest()[:16]


def pb2_files(tf):
    """Return every file descriptor the installed TensorFlow has, by name."""
    base = os.path.dirname(tf.__file__)
    if not os.path.isdir(os.path.join(base, "core")):
        base = os.path.join(os.path.dirname(base), "tensorflow_core")
    root = os.path.dirname(base)
    files = {}
    for path in glob.glob(base + "/**/*_pb2.py", recursive=True):
        module = importlib.import_module(os.path.relpath(path, root)[:-3].replace(os.sep, "."))
        files[module.DESCRIPTOR.name] = module.DESCRIPTOR
    return files


def record(wanted, out):
    """Write what this TensorFlow says of the files called `wanted`."""
    import facts
    import real
    import tensorflow as tf
    from google.protobuf import message_factory

    if hasattr(message_factory, "GetMessageClass"):
        get_class = message_factory.GetMessageClass
    else:
        get_class = message_factory.MessageFactory().GetPrototype
    messages, enums, filled = {}, {}, {}
    for name, file in sorted(pb2_files(tf).items()):
        if name not in wanted:
            continue
        found_messages, found_enums = facts.walk_file(file)
        for descriptor in found_messages:
            messages[descriptor.full_name] = facts.describe_message(descriptor)
            if not descriptor.GetOptions().map_entry:
                filled[descriptor.full_name] = digest(facts.fill(get_class(descriptor)()))
        for descriptor in found_enums:
            enums[descriptor.full_name] = facts.describe_enum(descriptor)
    samples = [
        {
            "name": name,
            "type": message.DESCRIPTOR.full_name,
            "bytes": base64.b64encode(message.SerializeToString(deterministic=True)).decode(),
            "text": str(message),
        }
        for name, message in real.samples(tf)
    ]
    with open(out, "w") as stream:
        facts_of = {"messages": messages, "enums": enums, "filled": filled, "samples": samples}
        json.dump(facts_of, stream)


def lines(table):
    """Return JSON with one line for each entry of each section, so that changes show in a diff."""
    sections = []
    for name, section in table.items():
        entries = ",\n".join(
            f"{json.dumps(key)}: {json.dumps(value)}" for key, value in section.items()
        )
        sections.append(f"{json.dumps(name)}: {{\n{entries}\n}}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _only_in(enums, messages):
    """Return enums of the messages that TensorFlow 2 dropped with their whole package."""
    packages = {name.rpartition(".")[0] for name in messages}
    return {
        name: values for name, values in enums.items() if name.rpartition(".")[0] not in packages
    }


def merge(old_path, new_path):
    """Write the data files from the recordings of both eras."""
    with open(old_path) as stream:
        old = json.load(stream)
    with open(new_path) as stream:
        new = json.load(stream)
    only_old = {}
    for name, fields in old["messages"].items():
        known = {field["number"] for field in new["messages"].get(name, {}).values()}
        gone = {key: field for key, field in fields.items() if field["number"] not in known}
        if gone or name not in new["messages"]:
            only_old[name] = gone
    facts = {
        "messages": new["messages"],
        # Where both have an enum, TensorFlow 2's: it has more values.
        "enums": {**_only_in(old["enums"], new["messages"]), **new["enums"]},
        "only in TensorFlow 1": only_old,
        "filled": new["filled"],
    }
    with open(os.path.join(HERE, "descriptors.json"), "w") as stream:
        stream.write(lines(facts))
    samples = {
        sample.pop("name") + ", " + era: sample
        for era, side in (("TensorFlow 1", old), ("TensorFlow 2", new))
        for sample in side["samples"]
    }
    with open(os.path.join(HERE, "samples.json"), "w") as stream:
        stream.write(lines({"samples": samples}))


if __name__ == "__main__":
    if sys.argv[1] == "merge":
        merge(*sys.argv[2:])
    else:
        with open(sys.argv[1]) as listed:
            record(set(listed.read().split()), sys.argv[2])
