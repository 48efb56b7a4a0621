"""Canonical JSON, hashes, and the strict reading of what strangers send."""

import copy
import decimal
import hashlib
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimcheck import canonical

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
SCALARS = st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
NUMBERS = st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)

REFUSED = [
    (b"", "$", "is empty"),
    (b" \n", "$", "is empty"),
    (b'"\xff"', "$", "byte 0xff at offset 1"),
    ("{}".encode("utf-16"), "$", "is not UTF-8"),
    (b'{"a": 1, "b": {"c": 1, "d": 2, "c": 3}}', "$.b", 'key "c" twice'),
    (b'[{"a b": {"x": 1, "x": {"n": NaN}}}]', '$[0]["a b"]', 'key "x" twice'),
    (b"{" + b"".join(b'"%d":1,' % n for n in range(1_000_000)) + b'"999999":1}', "$", 'key "999999" twice'),
    (b'{"files": [{"name": "a\\u0000b"}]}', "$.files[0].name", "NUL"),
    (b'{"\\u0000": 1}', '$["\\u0000"]', "NUL"),
    (b'{"a": "\\ud800x"}', "$.a", "surrogate"),
    (b'{"a":\n "x\x00"}', "$", "NUL character at line 2 column 4"),
    (b'{"a": [0, NaN]}', "$.a[1]", "NaN"),
    (b'{"a": -Infinity}', "$.a", "-Infinity"),
    (b'{"n": ' + b"9" * 1_000_000 + b"}", "$.n", "number of 1000000 characters"),
    (b'{"n": 1.' + b"9" * 1_000_000 + b"}", "$.n", "number too long"),
    (b'{"n": 1e9999999}', "$.n", "number too long or too large"),
    (b"[" * 10_000, "$", "nested deeper than 100 levels at line 1 column 101"),
    (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "$", "nested deeper"),
    (b"[" * 1_000_000 + b"]" * 1_000_000, "$", "nested deeper"),
    (b'["' + b'\\"' * 1_000_000, "$", "unterminated string"),
    (b'["' + b'[\\"' * 300_000, "$", "unterminated string"),
    (b"{}\n{}", "$", "goes on after its end at line 2 column 1"),
    (b'{"a": 1,\n "b" 2}', "$", "line 2 column 6"),
    (b"{'a': 1}", "$", "line 1 column 2"),
    (b'{"a": "x\ty"}', "$", "invalid control character"),
    (b"[01]", "$", "is not JSON"),
]


@pytest.mark.parametrize(("data", "path", "detail"), REFUSED, ids=lambda value: repr(value)[:24])
def test_it_refuses_bad_json_and_names_the_place(data: bytes, path: str, detail: str) -> None:
    with pytest.raises(canonical.InvalidJSON) as caught:
        canonical.parse_json(data)
    assert (caught.value.path, detail in caught.value.detail) == (path, True), str(caught.value)
    assert len(str(caught.value)) < 300


def test_it_counts_nesting_outside_strings_only() -> None:
    assert canonical.parse_json(b'["' + b'[{\\"[' * 500 + b'"]') == ['[{"[' * 500]
    assert canonical.parse_json(b"[[]," * 99 + b"1" + b"]" * 99)
    with pytest.raises(canonical.InvalidJSON):
        canonical.parse_json(b"[[[1]]]", max_depth=2)


def test_it_reads_what_is_good() -> None:
    assert canonical.parse_json(b'\xef\xbb\xbf {"a": ["\\ud83d\\ude00", "\\\\u0000", true, null, 12]} ') == {"a": ["😀", "\\u0000", True, None, 12]}


@given(NUMBERS)
def test_it_writes_every_number_as_it_was_written(text: str) -> None:
    read = canonical.parse_json(text.encode())
    again = pickle.loads(pickle.dumps(read))  # noqa: S301
    assert canonical.encode(copy.deepcopy([read, again])) == f"[{text},{text}]".encode()
    assert f"{read}" == text == str(read) and decimal.Decimal(read) == decimal.Decimal(text)


def test_it_lets_no_plain_writer_lose_digits() -> None:
    with pytest.raises(TypeError):
        json.dumps(canonical.parse_json(b"1.50"))


@given(VALUES)
def test_it_agrees_with_the_standard_library(value: object) -> None:
    expected = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert canonical.encode(value) == expected


@given(VALUES)
def test_it_reads_back_what_it_wrote(value: object) -> None:
    written = canonical.encode(value)
    assert canonical.encode(canonical.parse_json(written)) == written


@given(st.dictionaries(TEXT, SCALARS, max_size=6), st.randoms())
def test_it_does_not_depend_on_the_order_of_keys(members: dict[str, object], random: object) -> None:
    shuffled = list(members.items())
    random.shuffle(shuffled)
    assert canonical.encode(dict(shuffled)) == canonical.encode(members)
    assert list(json.loads(canonical.encode(dict(shuffled), sort_keys=False))) == [key for key, _ in shuffled]


@given(st.binary(max_size=60))
def test_it_refuses_or_reads_any_bytes_and_never_crashes(data: bytes) -> None:
    try:
        canonical.encode(canonical.parse_json(data))
    except canonical.InvalidJSON as error:
        assert error.path.startswith("$")


UNWRITABLE = [
    (float("nan"), "$"),
    ([1, float("inf")], "$[1]"),
    ({"a": {1: 2}}, "$.a[1]"),
    ({1: 2, "b": 3}, "$[1]"),
    ({"a": "\ud800"}, "$.a"),
    ({"a": "\0"}, "$.a"),
    ({"a": {2}}, "$.a"),
    (10**1000, "$"),
    (decimal.Decimal("sNaN"), "$"),
    (canonical.Number("nan"), "$"),
    (canonical.Number("٣"), "$"),
]


@pytest.mark.parametrize(("value", "path"), UNWRITABLE, ids=lambda value: repr(value)[:24])
def test_it_refuses_to_write_what_json_cannot_hold(value: object, path: str) -> None:
    with pytest.raises(canonical.InvalidJSON) as caught:
        canonical.encode(value)
    assert caught.value.path == path


def test_it_refuses_to_write_a_bottomless_value() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(canonical.InvalidJSON, match="nested too deeply"):
        canonical.encode(loop)


PARTS = [
    canonical.Part("front.png", "image/png", 3, hashlib.sha256(b"abc").hexdigest()),
    canonical.Part("fields.json", "application/json", 2, hashlib.sha256(b"{}").hexdigest()),
]


def test_it_hashes_evidence_by_the_written_formula() -> None:
    first, second = PARTS
    document = (
        '{"evidence_version":2,"item":7,"parts":['
        f'{{"content_type":"image/png","name":"front.png","sha256":"{first.sha256}","size":3}},'
        f'{{"content_type":"application/json","name":"fields.json","sha256":"{second.sha256}","size":2}}],'
        '"project_version":3,"shown":["amount","naïve"]}'
    )
    assert canonical.evidence_hash(7, 2, 3, ["amount", "naïve"], PARTS) == hashlib.sha256(document.encode()).hexdigest()


def test_it_changes_the_hash_with_everything_that_is_shown() -> None:
    wide = [PARTS[0], canonical.Part("fields.json", "application/json", 3, PARTS[1].sha256)]
    variants = [(7, 2, 3, ["a", "b"], PARTS), (8, 2, 3, ["a", "b"], PARTS), (7, 3, 3, ["a", "b"], PARTS)]
    variants += [
        (7, 2, 4, ["a", "b"], PARTS),
        (7, 2, 3, ["b", "a"], PARTS),
        (7, 2, 3, ["a", "b"], PARTS[::-1]),
    ]
    variants += [(7, 2, 3, ["a", "b"], wide), (7, 2, 3, ["a", "b"], [])]
    assert len({canonical.evidence_hash(*variant) for variant in variants}) == len(variants)


def test_it_refuses_parts_that_cannot_be() -> None:
    twin = canonical.Part("front.png", "image/png", 1, PARTS[0].sha256)
    for bad in (twin, canonical.Part("x", "y", -1, PARTS[0].sha256), canonical.Part("x", "y", 1, "ABC")):
        with pytest.raises(ValueError, match="part"):
            canonical.evidence_hash(7, 2, 3, [], [PARTS[0], bad])
