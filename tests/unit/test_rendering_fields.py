"""JSON: depth, size and numbers under control; strings are text and nothing else."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimcheck.rendering import fields, limits, pairs, values, views
from claimcheck.rendering.errors import NotShown
from claimcheck.rendering.parts import Part
from tests.ending import ending


def view(data: bytes) -> views.View:
    return fields.read(Part(1, "a.json", "application/json", len(data)), lambda _part, limit: data[:limit])


def node(text: str) -> views.Node:
    return fields.node(values.load(text))


def written(value: views.Value | None) -> str:
    assert value is not None
    return "".join(span.text for span in value.spans)


def test_it_shows_numbers_as_they_were_written():
    group = node('{"a": 12.50, "b": 1e400, "c": -0, "d": 123456789012345678901234567890}')
    assert isinstance(group, views.Group)
    assert [written(entry.node) for entry in group.entries] == ["12.50", "1e400", "-0", "123456789012345678901234567890"]  # type: ignore[arg-type]


def test_a_number_of_a_million_digits_costs_nothing_and_is_cut():
    with ending():
        value = node("9" * 1_000_000)
    assert isinstance(value, views.Value)
    assert (value.size, value.cut) == (1_000_000, 1_000_000 - limits.VALUE_CHARACTERS)


@pytest.mark.parametrize("text", ["[" * 10_000 + "]" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000, "[" * 10_000])
def test_it_shows_json_that_nests_too_deeply_as_text(text: str):
    found = view(text.encode())
    assert isinstance(found, views.Text)
    assert found.notes == (f"This JSON nests more than {limits.JSON_DEPTH} levels deep; it is shown as text.",)


def test_brackets_inside_strings_are_no_depth():
    assert isinstance(view(json.dumps({"a": "[" * 1000, "b\\": '"[[[' * 9}).encode()), views.Fields)


def test_the_deepest_json_that_is_shown_is_built_without_trouble():
    assert isinstance(view(b"[" * limits.JSON_DEPTH + b"]" * limits.JSON_DEPTH), views.Fields)


@pytest.mark.parametrize("text", ['"' + '\\"' * 400_000, '"\\' * 400_000, '["' * 200_000])
def test_strings_that_never_close_are_passed_over_once(text: str):
    with ending():
        found = view(text.encode())
    assert isinstance(found, views.Text)
    assert "not valid JSON" in found.notes[0] or "levels deep" in found.notes[0]


@pytest.mark.parametrize("text", ["", "{", '{"a":1,}', "NaN", '{"a": Infinity}', '{"a": "\0"}', "{'a': 1}", "[1] [2]"])
def test_it_shows_what_is_no_json_as_text_and_says_why(text: str):
    found = view(text.encode() or b" ")
    assert isinstance(found, views.Text)
    assert found.notes[0].startswith("This is not valid JSON (")


def test_it_keeps_names_that_stand_twice():
    group = node('{"amount": 1, "amount": 2}')
    assert isinstance(group, views.Group)
    assert [(entry.label.exact, entry.again) for entry in group.entries] == [("amount", False), ("amount", True)]


def test_it_survives_lone_surrogates_and_shows_them():
    group = node('{"\\ud800": "a\\udfffb\\u0000"}')
    assert isinstance(group, views.Group)
    assert group.entries[0].label.exact == "\ufffd"
    assert written(group.entries[0].node) == "aU+DFFFbNUL"  # type: ignore[arg-type]


def test_it_reads_snake_case_and_leaves_other_names_alone():
    assert fields.label("value_date") == views.Label("Value date", "value_date")
    assert fields.label("IBAN (old)").text == "IBAN (old)"


def test_like_objects_become_a_table_and_unlike_ones_a_list():
    assert isinstance(node('[{"a":1,"b":2},{"a":3}]'), views.Grid)
    assert isinstance(node('[{"a":1,"b":[2]},{"a":3}]'), views.Series)
    assert isinstance(node('[{"a":1,"a":2},{"a":3}]'), views.Series)
    assert isinstance(node("[1,2]"), views.Series)


def test_it_folds_long_text_unless_the_project_names_it():
    document = values.load(json.dumps({"answer": "x" * 5000}))
    assert fields.node(document).entries[0].node.preview  # type: ignore[union-attr]
    assert not fields.node(document, whole=True).entries[0].node.preview  # type: ignore[union-attr]


def test_it_bounds_the_values_of_a_screen_and_counts_the_rest():
    for text in ("[" + "1," * 50_000 + "1]", json.dumps({str(n): n for n in range(50_000)}), json.dumps([{"a": 1, "b": 2}] * 50_000)):
        found = node(text)
        size = len(getattr(found, "nodes", getattr(found, "rows", getattr(found, "entries", ()))))
        assert size <= limits.JSON_VALUES
        assert size + found.more >= 50_000  # type: ignore[union-attr]


def test_nested_lists_share_one_budget():
    def count(it: views.Node) -> int:
        inner = getattr(it, "nodes", None) or [entry.node for entry in getattr(it, "entries", ())]
        return 1 + sum(map(count, inner))

    assert count(node(json.dumps([[[n] * 30] * 30 for n in range(60)]))) <= 2 * limits.JSON_VALUES


def test_it_shows_json_over_the_limit_as_text():
    found = view(b"[" + b"1," * limits.JSON + b"1]")
    assert isinstance(found, views.Text)
    assert found.notes[0].startswith("JSON over ")


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_it_takes_any_json(value: object):
    try:
        node(json.dumps(value))
    except NotShown as refused:
        assert "levels deep" in refused.reason


def aligned(left: str, right: str) -> dict[str, bool]:
    found = pairs.aligned("", ("left", values.load(left)), ("right", values.load(right)))
    return {row.label.exact: row.differs for row in found.rows}


def test_it_lays_two_objects_field_beside_field_and_marks_what_differs():
    found = aligned('{"a": 1, "b": {"c": "x", "d": [1, 2]}}', '{"b": {"c": "y", "d": [1, 3]}, "a": 1, "e": null}')
    assert found == {"a": False, "b.c": True, "b.d.1.": False, "b.d.2.": True, "e": True}


@pytest.mark.parametrize(
    ("left", "right", "differs"),
    [
        ("12.5", "12.50", False),
        ("1e2", "100", False),
        ("12.5", '"12.5"', True),
        ("null", '""', True),
        ("true", "1", True),
        ("1e999999999", "1e999999998", True),
        ("9" * 100, "9" * 99 + "8", True),
    ],
)
def test_the_same_amount_is_no_difference_and_another_type_is_one(left: str, right: str, differs: bool):
    assert list(aligned(f'{{"a":{left}}}', f'{{"a":{right}}}').values()) == [differs]


def test_a_name_that_stands_twice_is_aligned_twice():
    assert list(aligned('{"a":1,"a":2}', '{"a":1}')) == ["a", "a (again)"]


@pytest.mark.parametrize(
    ("left", "right", "by"),
    [
        ('"1250.00"', '"1204.00"', "−46.00"),
        ('"-3.00"', '"4.5"', "+7.50"),
        ("0.97", "0.95", "−0.02"),
        ('"1250.00"', '"1250.00"', ""),
        ('"1250"', '"1204"', ""),
        ('"1250.00"', '"1.204,00"', ""),
        ('"1.1.1"', '"1.1.2"', ""),
        ("null", '"1.00"', ""),
        ("1e999999999", "1.5", ""),
    ],
)
def test_it_says_by_how_much_two_amounts_differ(left: str, right: str, by: str):
    found = pairs.aligned("", ("left", values.load(f'{{"sum": {left}}}')), ("right", values.load(f'{{"sum": {right}}}')))
    assert found.rows[0].by == by


def test_an_amount_may_have_no_decimals():
    found = pairs.aligned("", ("left", values.load('{"amount": "1250", "number": "7"}')), ("right", values.load('{"amount": "1300", "number": "8"}')))
    assert [row.by for row in found.rows] == ["+50", ""]
