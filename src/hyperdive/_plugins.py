"""Plug-ins: what other packages offer under a group of entry points, found without importing any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hyperdive.errors import Error

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def find_plugins(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by their names.

    >>> find_plugins("hyperdive.no-such-group")
    {}
    """
    from importlib.metadata import entry_points

    return {point.name: point for point in sorted(entry_points(group=group), key=lambda point: point.name)}


def load_plugin(point: EntryPoint, what: str) -> Any:
    """What an entry point names; whatever goes wrong there is one line that names the package."""
    try:
        return point.load()
    except Exception as error:
        raise plugin_error(point, what, f"cannot be loaded: {type(error).__name__}: {error}") from error


def plugin_error(point: EntryPoint, what: str, problem: str) -> Error:
    """A plug-in that does not work, with the package to blame."""
    package = f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value
    return Error(
        f"the {what} {point.name!r} of the package {package} {problem}", hint="update or uninstall the package"
    )
