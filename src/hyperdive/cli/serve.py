"""Serve the explorer in the browser, and an HTTP API, over models.

Open the printed address. Without MODEL the packaged model is served. The server listens on this machine only; with
--host on another address it needs a token, which is generated and printed unless --token gives one. Corrections are
saved next to each model as NAME.corrections.tsv (for a packaged model in the current folder), which hyperdive taxonomy
--corrections reads. Needs the `web` extra.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hyperdive.cli.common import DEFAULT_MODEL, write

if TYPE_CHECKING:
    from hyperdive.web.security import Access
    from hyperdive.web.service import Catalogue

PORT = 8765


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL]...", help="Model folders, or names of packaged models.", show_default="en-wiki"
        ),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on; other than loopback needs a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 takes a free one.")] = PORT,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="HYPERDIVE_TOKEN",
            help="Token that every request must carry.",
            show_default="none on loopback, else a generated one",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="Further host name of this server; may be repeated.", show_default=False),
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option("--corrections", help="Folder for the corrections of all models.", show_default="next to each"),
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Save no corrections.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Print what would be served, and exit.")] = False,
) -> None:
    import secrets
    import sys

    from hyperdive.errors import InputError, MissingExtra, OptionError

    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtra("serve", "web") from None
    from hyperdive.web.app import create_app
    from hyperdive.web.security import Access, is_loopback
    from hyperdive.web.server import listen, run
    from hyperdive.web.service import Service, open_models

    if token is not None and (
        len(token) < 8 or not token.isascii() or not token.isprintable() or set(token) & set(' ";,\\')
    ):
        raise OptionError("a token has 8 or more ASCII characters, without spaces, quotes, commas and semicolons")
    if corrections is not None and not corrections.is_dir():
        raise InputError(f"{corrections}: no such folder", hint="make it, or name another")
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    access = Access(host, tuple(allow_host or ()), token)
    catalogue = open_models(models or [DEFAULT_MODEL], corrections=corrections, read_only=read_only)
    if check:
        _describe(catalogue, access, port)
        return
    with listen(host, port) as bound:
        address = _address(host, bound.getsockname()[1], token)
        write(f"serving {', '.join(catalogue.models)} on {address} (Ctrl-C stops)")
        sys.stdout.flush()
        if open_:
            import webbrowser

            webbrowser.open(address)
        run(create_app(Service(catalogue, read_only), access), bound)


def _address(host: str, port: int, token: str | None) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def _describe(catalogue: Catalogue, access: Access, port: int) -> None:
    """What would be served."""
    write(f"address      {_address(access.host, port, access.token)}")
    for served in catalogue.models.values():
        info = served.info()
        asks = [name for name in ("patterns", "sentences", "topics") if getattr(info, name)]
        write(
            f"model        {info.name}: {info.words:,} words, {info.terms:,} terms, {', '.join(asks) or 'vectors only'}"
        )
        state = "" if info.corrections.writable else ", cannot be changed"
        write(f"corrections  {served.file.path}: {info.corrections.entries} entries{state}")
