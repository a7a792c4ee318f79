"""tf.contrib.training.HParams: what text, JSON and values may set; answers of TensorFlow 1.15."""

import pytest

import placewise.compat.v1 as tf

HParams = tf.contrib.training.HParams
parse_values = tf.contrib.training.parse_values

KINDS = {"a": int, "b": float, "c": bool, "d": str, "x.y": int}


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("a= 3 , b=4", {"a": 3, "b": 4.0}),
        ("a=[1, 2 3]", {"a": [1, 2, 3]}),
        ("c=true", {"c": True}),
        ("c=[0,True]", {"c": [False, True]}),
        ("d=a=b,x.y=4", {"d": "a=b", "x.y": 4}),
        ("a[0]=1,a[ 1 ]=2", {"a": {0: 1, 1: 2}}),
    ],
)
def test_text_is_parsed_by_type(text, settings):
    assert parse_values(text, KINDS) == settings


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a=x", "Could not parse hparam 'a' of type 'int' with value 'x' in a=x"),
        ("a=1,a=2", "Multiple assignments to variable 'a' in a=1,a=2"),
        ("a[0]=1,a[0]=2", r"Multiple assignments to variable 'a\[0\]' in"),
        ("a[0]=[1]", "Assignment of a list to a list index."),
        ("a=1,,b=2", "Malformed hyperparameter value: ,b=2"),
        ("z=1", "Unknown hyperparameter type for z"),
    ],
)
def test_text_that_says_nothing_is_refused(text, problem):
    with pytest.raises(ValueError, match=problem):
        parse_values(text, KINDS)


def test_settings_print_as_assignments():
    settings = HParams(rate=0.1, name="x", sizes=[1, 2])
    assert str(settings) == "name=x,rate=0.1,sizes=[1, 2]"
    assert repr(settings) == "HParams([('name', 'x'), ('rate', 0.1), ('sizes', [1, 2])])"


def test_a_value_of_another_type_is_refused():
    settings = HParams(rate=0.1, count=1, flag=True, sizes=[1, 2])
    settings.set_hparam("rate", 2)
    assert settings.rate == 2.0
    for name, value in {"count": 2.5, "flag": 1, "rate": "2", "sizes": [True]}.items():
        with pytest.raises(ValueError, match=f"Could not cast hparam '{name}' of type"):
            settings.set_hparam(name, value)
    with pytest.raises(ValueError, match="Must pass a list for multi-valued parameter: sizes"):
        settings.set_hparam("sizes", 1)


def test_single_elements_of_a_list_can_be_parsed():
    assert HParams(sizes=[1, 2, 3]).parse("sizes[1]=7").sizes == [1, 7, 3]


def test_a_default_must_have_the_type_of_the_setting():
    settings = HParams(sizes=[1, 2])
    assert settings.get("sizes", [3]) == [1, 2] and settings.get("none", "x") == "x"
    with pytest.raises(ValueError, match="of type 'list<<class 'int'>>' is incompatible"):
        settings.get("sizes", 1)
