"""The letters that answers are given by: those that somebody would guess."""

from __future__ import annotations

import pytest

from claimcheck.web import controls


@pytest.mark.parametrize(
    ("labels", "letters"),
    [
        (["The left one", "The right one", "No difference"], "lrd"),
        (["Tier A", "Tier B", "Tier C", "Guarantor needed", "Lower amount"], "abcul"),
        (["income proven", "stable address", "prior default"], "isp"),
        (["Same", "Same"], "sa"),
        (["1 · poor", "2", "3"], "asd"),
    ],
)
def test_it_takes_the_letter_of_the_word_that_tells_a_label_from_the_others(labels, letters):
    assert controls._keys(labels) == [*letters]
