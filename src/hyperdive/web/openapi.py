"""The description of the API in OpenAPI 3.1, and a plain page made of it."""

from __future__ import annotations

import json
from dataclasses import fields
from html import escape
from typing import Any

from hyperdive import __version__
from hyperdive.web.endpoints import ENDPOINTS, PREFIX, Endpoint
from hyperdive.web.messages import FailureReply
from hyperdive.web.schema import Schemas, hints, plain, query_name

_ALWAYS = (400, 401, 403, 408, 413, 421, 429)
_MEANING = {
    400: "A parameter is missing, unknown, of the wrong type or beyond a limit",
    401: "The token is missing or wrong",
    403: "From another site, read-only, or not writable",
    404: "No such model, term or taxonomy",
    408: "It took too long",
    409: "A version conflict, a contradiction, or a taxonomy that is not finished",
    413: "The request or the answer is too large",
    415: "The body is not declared as application/json",
    421: "The Host header is none of this server's",
    422: "The model cannot answer this",
    429: "Too much at one time",
    503: "The processes that tried to answer this ended",
}


def description() -> dict[str, Any]:
    """The OpenAPI description.

    >>> list(description()["paths"])[0]
    '/api/v1/server'
    """
    schemas = Schemas()
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(f"{PREFIX}{endpoint.path}", {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hyperdive",
            "version": __version__,
            "description": "Questions to hyperdive models, taxonomies and their corrections; see docs/http.md.",
        },
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.components.items()))},
    }


def _operation(endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    in_path = [field.name for field in fields(endpoint.request) if f"{{{field.name}}}" in endpoint.path]
    operation: dict[str, Any] = {"operationId": endpoint.name, "summary": endpoint.summary}
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": schemas.of(hints(endpoint.request)[name])}
        for name in in_path
    ]
    if endpoint.method == "POST":
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _body(endpoint.request, in_path, schemas)}},
        }
    else:
        parameters += _query(endpoint.request, in_path, schemas)
    if parameters:
        operation["parameters"] = parameters
    failure = {"application/json": {"schema": schemas.of(FailureReply)}}
    codes = {
        *_ALWAYS,
        *endpoint.errors,
        *([415] if endpoint.method == "POST" else []),
        *([503] if endpoint.apart else []),
    }
    operation["responses"] = _replies(endpoint, schemas) | {
        str(code): {"description": _MEANING[code], "content": failure} for code in sorted(codes)
    }
    return operation


def _replies(endpoint: Endpoint, schemas: Schemas) -> dict[str, Any]:
    if isinstance(endpoint.reply, str):
        content: dict[str, Any] = {endpoint.reply: {"schema": {"type": "string"}}}
    else:
        content = {"application/json": {"schema": schemas.of(endpoint.reply)}}
    reply = {"description": endpoint.summary, "content": content}
    both = {"200": reply} if endpoint.status != 200 else {}
    return {**both, str(endpoint.status): reply}


def _query(request: type, in_path: list[str], schemas: Schemas) -> list[dict[str, Any]]:
    parameters = []
    for field in fields(request):
        if field.name in in_path:
            continue
        kind = hints(request)[field.name]
        schema = _without_null(schemas.of(kind))
        required = field.default is field.default_factory  # both are MISSING
        default = {} if required or field.default in (None, ()) else {"default": plain(field.default)}
        parameters.append(
            {
                "name": query_name(field.name, kind),
                "in": "query",
                "required": required,
                "schema": {**schema, **default},
                **({"style": "form", "explode": True} if schema.get("type") == "array" else {}),
            }
        )
    return parameters


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A query parameter is there or not, never null."""
    kind = schema.get("type")
    return {**schema, "type": kind[0]} if isinstance(kind, list) else schema


def _body(request: type, in_path: list[str], schemas: Schemas) -> dict[str, Any]:
    reference = schemas.of(request)
    if not in_path:
        return reference
    whole = schemas.components.pop(request.__name__)
    properties = {name: schema for name, schema in whole["properties"].items() if name not in in_path}
    required = [name for name in whole["required"] if name not in in_path]
    schemas.components[f"{request.__name__}Body"] = {**whole, "properties": properties, "required": required}
    return {"$ref": f"#/components/schemas/{request.__name__}Body"}


def page() -> str:
    """The description as a plain page without scripts."""
    described = description()
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>hyperdive HTTP API</title>',
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/api/docs.css"></head><body>',
        f"<h1>hyperdive HTTP API</h1><p>Version {escape(__version__)}. "
        'The same for programs: <a href="/api/v1/openapi.json">openapi.json</a></p>',
    ]
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            parts += [f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(operation['summary'])}</p>"]
            rows = [
                f"<tr><td><code>{escape(one['name'])}</code></td><td>{'yes' if one['required'] else ''}</td>"
                f"<td>{_shape(one['schema'])}</td></tr>"
                for one in operation.get("parameters", ())
            ]
            if rows:
                head = "<thead><tr><th>parameter</th><th>required</th><th>value</th></tr></thead>"
                parts.append(f"<table>{head}<tbody>{''.join(rows)}</tbody></table>")
            if "requestBody" in operation:
                parts.append(f"<p>Body: {_shape(_schema(operation['requestBody']))}</p>")
            answers = (
                f"<li>{code}: {_shape(_schema(reply))}</li>"
                for code, reply in operation["responses"].items()
                if code < "300"
            )
            parts.append(f"<ul>{''.join(answers)}</ul>")
    parts.append("<h1>Messages</h1>")
    for name, schema in described["components"]["schemas"].items():
        rows = [
            f"<tr><td><code>{escape(field)}</code></td><td>{_shape(kind)}</td></tr>"
            for field, kind in schema["properties"].items()
        ]
        parts.append(f'<h2 id="{escape(name)}">{escape(name)}</h2><p>{escape(schema["description"])}</p>')
        parts.append(f"<table><tbody>{''.join(rows)}</tbody></table>")
    return "\n".join([*parts, "</body></html>"])


def _schema(part: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = next(iter(part["content"].values()))["schema"]
    return schema


def _shape(schema: dict[str, Any]) -> str:
    """A schema in a few words, with links to messages."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(map(_shape, schema["anyOf"]))
    if schema.get("type") == "array" and "items" in schema:
        return f"list of {_shape(schema['items'])}"
    return f"<code>{escape(json.dumps(schema, ensure_ascii=False))}</code>"


STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h2 { border-top: 1px solid #8888; margin-top: 2rem; padding-top: 1rem; font-size: 1.1rem; }
table { border-collapse: collapse; } td, th { border: 1px solid #8888; padding: .2rem .6rem; text-align: left; }
td code { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee; } a { color: #8cf; } }
"""
