"""Sentences cut to a width keep their two terms; nothing of a corpus reaches a terminal as a command."""

from __future__ import annotations

from hyperdive.cli.demo_page import TextStyle, shortened
from hypothesis import given
from hypothesis import strategies as st

from hyperdive.patterns.evidence import Evidence

WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=3, max_size=60)


@given(WORDS, st.data(), st.integers(50, 120))
def test_both_terms_stay_and_the_line_fits(words: list[str], data: st.DataObject, width: int) -> None:
    first = data.draw(st.integers(0, len(words) - 2))
    second = data.draw(st.integers(first + 1, len(words) - 1))
    starts = [sum(map(len, words[:i])) + i for i in range(len(words))]
    spans = [(starts[i], starts[i] + len(words[i])) for i in (second, first)]
    shown = shortened(Evidence(" ".join(words), "such-as", 0, tuple(spans)), width)
    assert f"**{words[first]}**" in shown and f"**{words[second]}**" in shown
    assert len(shown) <= width + 1
    plain = shown.replace("**", "")
    for piece in plain.split("…"):
        assert piece.strip() in " ".join(words)
        assert not piece.strip() or set(piece.split()) <= set(words), "words are shown whole"


def test_a_sentence_cannot_command_the_terminal() -> None:
    shown = shortened(
        Evidence("dogs\x1b[2J such as [bold]poodles\n", "such-as", 0, ((24, 31), (0, 4))), 80, TextStyle(True)
    )
    assert "\x1b[2J" not in shown and "\n" not in shown
    assert "[bold]" in shown
