"""How text becomes words: every option of `encode`, its default and what the paper used."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hyperdive.errors import OptionError


@dataclass(frozen=True, kw_only=True)
class EncodeOptions:
    """The rules by which text is turned into word ids. The values below are those of `--preset default`.

    >>> EncodeOptions().hyphens, EncodeOptions.preset("paper").hyphens
    ('split', 'drop')
    >>> EncodeOptions.preset("paper", min_count=5).min_count
    5
    """

    hyphens: Literal["drop", "split", "keep"] = "split"
    """What becomes of words joined by hyphen or apostrophe. Paper: one token, so not letters only, so dropped."""
    alphabet: Literal["ascii", "unicode"] = "unicode"
    """Words made of other characters than these letters are dropped. Paper: ascii."""
    lemmas: Literal["none", "simplemma"] = "simplemma"
    """Base forms instead of inflected ones (*dogs* → *dog*). Paper: its corpus came lemmatised."""
    language: str = "en"
    """Language of the text, for the lemmas."""
    stopwords: str = "english"
    """`english`, `none`, or a file with one word a line. Paper: its own list, which `english` equals."""
    pos: Literal["none", "textblob", "spacy"] = "none"
    """Attach the part of speech (`dog|n`) with this tagger. Paper: both without and with."""
    terms: str = "auto"
    """Terms counted beside words: `auto` (found in the text), `none`, or a file with one term a line that is always
    kept, beside those found. Paper: none."""
    min_count: int = 10
    """Words rarer than this read as the unknown symbol. Paper: 10."""
    rare: Literal["unknown", "drop"] = "unknown"
    """Rare words become the unknown symbol and stay in the windows (as the released code does), or are dropped."""
    line_length: int | Literal["document", "sentence"] = 100
    """Windows end at line borders: lines of this many kept tokens, or a line per document or sentence. Paper: 100."""
    last_line: Literal["keep", "drop"] = "keep"
    """What becomes of an incomplete last line. Paper: dropped."""
    max_tokens: int = 0
    """Stop after this many tokens (0: read everything). Paper: 51,200,000."""
    budget: Literal["alphabetic", "kept"] = "alphabetic"
    """What `max_tokens` counts: words of letters before stop words are removed (released code), or kept tokens."""
    shuffle: int | None = None
    """Read documents in a random order drawn with this seed. Paper: for PubMed only."""

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for name, hint in hints.items():
            if get_origin(hint) is Literal and getattr(self, name) not in get_args(hint):
                raise OptionError(f"{name} is {getattr(self, name)!r}", hint=f"use one of {', '.join(get_args(hint))}")
        if isinstance(self.line_length, str):
            if self.line_length not in ("document", "sentence"):
                raise OptionError(f"line length is {self.line_length!r}", hint="use a number, document or sentence")
        elif self.line_length < 1:
            raise OptionError("the line length must be 1 or more", hint="or 'document' or 'sentence'")
        if self.min_count < 1:
            raise OptionError("the minimum count must be 1 or more")
        if not 0 <= self.max_tokens < 1 << 62:
            raise OptionError(f"max tokens is {self.max_tokens}", hint="use 0 (everything) or a number of words")
        if self.shuffle is not None and self.shuffle < 0:
            raise OptionError("the shuffle seed must be 0 or more")

    @classmethod
    def preset(cls, name: str = "default", **changes: Any) -> EncodeOptions:
        """A named set of options with some changed; None means unchanged."""
        if name not in PRESETS:
            raise OptionError(f"no preset {name!r}", hint=f"use one of {', '.join(PRESETS)}")
        known = {field.name for field in fields(cls)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise OptionError(f"no option {unknown[0]!r}", hint=f"use one of {', '.join(sorted(known))}")
        chosen = {key: value for key, value in changes.items() if value is not None}
        return replace(cls(**PRESETS[name]), **chosen)

    def as_parameters(self) -> dict[str, Any]:
        """What the header of a corpus records: contents decide, so file names lose their folders."""
        parameters = asdict(self)
        for name, words in (("stopwords", ("english", "none")), ("terms", ("auto", "none"))):
            if parameters[name] not in words:
                parameters[name] = f"file:{Path(parameters[name]).name}"
        if self.terms == "none":  # as in corpora made before there were terms
            del parameters["terms"]
        return parameters


PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "paper": {
        "hyphens": "drop",
        "alphabet": "ascii",
        "last_line": "drop",
        "max_tokens": 51_200_000,
        "terms": "none",
    },
}
"""`paper`: the corpus rules of the DIVE paper as its released program applies them."""
