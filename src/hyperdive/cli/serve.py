"""The serve command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from hyperdive.cli.output import DEFAULT_MODEL, write
from hyperdive.errors import InputError, MissingExtra, OptionError
from hyperdive.options import Options, option

if TYPE_CHECKING:
    from hyperdive.web.security import Access
    from hyperdive.web.service import Catalogue


@dataclass(frozen=True, kw_only=True)
class ServeCommand(Options):
    """Options of `hyperdive serve`."""

    host: str = option("127.0.0.1", "Address to listen on; other than loopback needs a token.")
    port: int = option(8765, "Port; 0 takes a free one.", low=0, high=65_535)
    token: str | None = option(
        None,
        "Token that every request must carry, also HYPERDIVE_TOKEN; by default none on loopback, else a generated one.",
    )
    allow_host: tuple[str, ...] = option((), "Further host name of this server; may be repeated.", rare=True)
    corrections: Path | None = option(None, "Folder for the corrections of all models, by default next to each.")
    read_only: bool = option(False, "Save no corrections.")
    open_: bool = option(False, "Open the page in a browser.")
    check: bool = option(False, "Print what would be served, and exit.", rare=True)


def serve(
    models: Annotated[
        tuple[str, ...],
        Parameter(name="MODEL", help="Model folders, or names of packaged models; by default en-wiki."),
    ] = (),
    /,
    *,
    options: ServeCommand,
) -> None:
    """Serve the explorer in the browser, and an HTTP API, over models.

    Open the printed address. Without MODEL the packaged model is served. The server listens on this machine only; with
    --host on another address it needs a token, which is generated and printed unless --token gives one. Corrections are
    saved next to each model as NAME.corrections.tsv (for a packaged model in the current folder), which hyperdive
    taxonomy --corrections reads. Needs the `web` extra.
    """
    import os
    import secrets
    import sys

    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtra("serve", "web") from None
    from hyperdive.web.app import create_app
    from hyperdive.web.security import Access, is_loopback
    from hyperdive.web.server import listen, run
    from hyperdive.web.service import Service, open_models

    token = options.token or os.environ.get("HYPERDIVE_TOKEN")
    if token is not None and (
        len(token) < 8 or not token.isascii() or not token.isprintable() or set(token) & set(' ";,\\')
    ):
        raise OptionError("a token has 8 or more ASCII characters, without spaces, quotes, commas and semicolons")
    if options.corrections is not None and not options.corrections.is_dir():
        raise InputError(f"{options.corrections}: no such folder", hint="make it, or name another")
    if token is None and not is_loopback(options.host):
        token = secrets.token_urlsafe(24)
    access = Access(options.host, options.allow_host, token)
    catalogue = open_models(
        list(models) or [DEFAULT_MODEL], corrections=options.corrections, read_only=options.read_only
    )
    if options.check:
        _describe(catalogue, access, options.port)
        return
    with listen(options.host, options.port) as bound:
        address = _address(options.host, bound.getsockname()[1], token)
        write(f"serving {', '.join(catalogue.models)} on {address} (Ctrl-C stops)")
        sys.stdout.flush()
        if options.open_:
            import webbrowser

            webbrowser.open(address)
        run(create_app(Service(catalogue, options.read_only), access), bound)


def _address(host: str, port: int, token: str | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def _describe(catalogue: Catalogue, access: Access, port: int) -> None:
    write(f"address      {_address(access.host, port, access.token)}")
    for served in catalogue.models.values():
        info = served.info()
        parts = [name for name in ("patterns", "sentences", "topics") if getattr(info, name)]
        has = ", ".join(parts) or "vectors only"
        write(f"model        {info.name}: {info.words:,} words, {info.terms:,} terms, {has}")
        state = "" if info.corrections.writable else ", cannot be changed"
        write(f"corrections  {served.file.path}: {info.corrections.entries} entries{state}")
