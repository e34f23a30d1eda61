"""The types of the explorer, made of the OpenAPI description: python tools/explorer_types.py > explorer/src/api/types.ts"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from hyperdive.web.app import api

_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def types_of(description: dict[str, Any]) -> str:
    """Return an interface for each message.

    >>> point = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"], "description": "A point."}
    >>> print(types_of({"components": {"schemas": {"Point": point}}, "paths": {}}))
    /** The messages of the HTTP API, made by tools/explorer_types.py of its OpenAPI description. */
    <BLANKLINE>
    /** A point. */
    export interface Point {
      x: number;
    }
    <BLANKLINE>
    """
    schemas = description["components"]["schemas"]
    bodies = [
        part["requestBody"] for path in description["paths"].values() for part in path.values() if "requestBody" in part
    ]
    in_requests = _reached(bodies, schemas)
    lines = ["/** The messages of the HTTP API, made by tools/explorer_types.py of its OpenAPI description. */", ""]
    for name, schema in schemas.items():
        lines += [f"/** {schema['description']} */", f"export interface {name} {{"]
        for field, kind in schema["properties"].items():
            may_miss = name in in_requests or "default" not in kind
            optional = may_miss and field not in schema.get("required", ())
            lines.append(f"  {field}{'?' if optional else ''}: {_type(kind)};")
        lines += ["}", ""]
    return "\n".join(lines)


def _reached(part: Any, schemas: dict[str, Any]) -> set[str]:
    """The names of the schemas that a part of the description refers to, directly or not."""
    waiting, reached = [part], set[str]()
    while waiting:
        for name in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(waiting.pop())):
            if name not in reached:
                reached.add(name)
                waiting.append(schemas[name])
    return reached


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if choices := schema.get("anyOf", schema.get("oneOf")):
        return " | ".join(map(_type, choices))
    if "const" in schema or "enum" in schema:
        return " | ".join(map(json.dumps, schema.get("enum", [schema.get("const")])))
    if schema["type"] == "array" and "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    if schema["type"] == "array":
        item = _type(schema["items"])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if schema["type"] == "object":
        return f"Record<string, {_type(schema['additionalProperties'])}>"
    return _PLAIN[schema["type"]]


if __name__ == "__main__":
    sys.stdout.write(types_of(api().openapi()))
