"""Small text files: what counts as a line, and one-line errors that name file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hyperdive._lines import MAX_BYTES, read_lines
from hyperdive.errors import InputError


def lines(path: Path, **settings: bool) -> list[tuple[int, str]]:
    return list(read_lines(path, "word list", **settings))


def test_numbers_comments_and_blank_lines(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes("\ufeffdog\r\n# pets\n \n\ufeffcat \nice\u2028cream\nmouse".encode())
    assert lines(tmp_path / "list") == [(1, "dog"), (4, "\ufeffcat "), (5, "ice\u2028cream"), (6, "mouse")]
    assert [number for number, _ in lines(tmp_path / "list", every=True)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"dog\nc\xff\n", "list: line 2 is not UTF-8 text"),
        (b"dog\n\0\n", "list: line 2 has NUL bytes"),
        (b"dog\n" + b"x" * (9 << 20), "list: line 2 is too long"),
    ],
)
def test_what_is_not_text_names_the_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "list").write_bytes(content)
    with pytest.raises(InputError, match=message):
        lines(tmp_path / "list")


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: no such word list"):
        lines(tmp_path / "none")
    with pytest.raises(InputError, match="a folder, not a word list"):
        lines(tmp_path)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(InputError, match="large: too large for a word list"):
        lines(tmp_path / "large")
