"""What answers about the server and its models hold; see `hyperdive.web.messages`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hyperdive.web.messages import Commands


@dataclass(frozen=True)
class CorrectionsInfo:
    """The corrections of a model: version, number, whether they can be changed, and the name of their file."""

    version: str
    entries: int
    writable: bool
    file: str


@dataclass(frozen=True)
class ModelInfo:
    """A served model: its size, what it can be asked, and its corrections."""

    name: str
    packaged: bool
    words: int
    terms: int
    dimensions: int
    tokens: int | None
    patterns: bool
    sentences: bool
    calibrated: bool
    score: str
    topics: bool
    corrections: CorrectionsInfo
    command: Commands


@dataclass(frozen=True)
class FormatInfo:
    """A format to export a taxonomy in."""

    name: str
    extension: str
    media_type: str
    title: str


@dataclass(frozen=True)
class ServerReply:
    """The server: version, models, limits and formats."""

    version: str
    read_only: bool
    models: tuple[ModelInfo, ...]
    limits: Mapping[str, float]
    formats: tuple[FormatInfo, ...]


@dataclass(frozen=True)
class ModelsReply:
    """The served models; the first is the default."""

    models: tuple[ModelInfo, ...]
