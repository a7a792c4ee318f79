"""What can be said of a message and compared: its fields, and an instance with every field set.

Runs under any protobuf, TensorFlow 1's included: `record.py` asks TensorFlow, the tests placewise.
"""

DEPTH = 3


def is_repeated(field):
    """Return whether a field is a list or map (`label` is gone from new protobufs)."""
    return (
        field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
    )


def is_map(field):
    """Return whether a field is a map."""
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def describe_field(field):
    """Return everything about a field that changes bytes, text or behaviour."""
    kind = field.message_type or field.enum_type
    default = field.default_value
    facts = {"number": field.number, "type": field.type}
    if kind:
        facts["of"] = kind.full_name
    if is_repeated(field):
        facts["repeated"] = True
    elif not field.message_type:
        facts["default"] = default.decode("latin1") if isinstance(default, bytes) else default
    if field.containing_oneof:
        facts["oneof"] = field.containing_oneof.name
    if getattr(field, "is_packed", False):
        facts["packed"] = True
    if getattr(field, "has_presence", False):
        facts["presence"] = True
    return facts


def describe_message(descriptor):
    """Return the fields of a message in the order declared."""
    return {field.name: describe_field(field) for field in descriptor.fields}


def describe_enum(descriptor):
    """Return the values of an enum in the order declared."""
    return {value.name: value.number for value in descriptor.values}


def walk_file(file):
    """Return the descriptors of all messages and all enums of a file, nested ones too."""
    messages, enums = [], list(file.enum_types_by_name.values())
    waiting = list(file.message_types_by_name.values())
    while waiting:
        descriptor = waiting.pop(0)
        messages.append(descriptor)
        enums.extend(descriptor.enum_types)
        waiting.extend(descriptor.nested_types)
    return messages, enums


def value_for(field):
    """Return a value that is not the field's default and differs from field to field."""
    if field.type == field.TYPE_STRING:
        return f"{field.name} é"
    if field.type == field.TYPE_BYTES:
        return field.name.encode() + b"\x00\xff"
    if field.type == field.TYPE_BOOL:
        return True
    if field.type == field.TYPE_ENUM:
        return field.enum_type.values[-1].number
    if field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
        return field.number + 0.5
    return field.number + 300


def fill(message, depth=DEPTH, skip=()):
    """Set every field of `message` (of a oneof, the last), going `depth` messages deep.

    The fields whose full names are in `skip` are left out.
    """
    for field in message.DESCRIPTOR.fields:
        if field.full_name in skip:
            continue
        target = getattr(message, field.name)
        if is_map(field):
            key, value = field.message_type.fields
            if not value.message_type:
                target[value_for(key)] = value_for(value)
            elif depth:
                fill(target[value_for(key)], depth - 1, skip)
        elif field.message_type:
            if depth:
                fill(target.add() if is_repeated(field) else target, depth - 1, skip)
                if not is_repeated(field):
                    target.SetInParent()
        elif is_repeated(field):
            target.extend([value_for(field)] * 2)
        else:
            setattr(message, field.name, value_for(field))
    return message
