"""The API keeps to its OpenAPI description: every request that it allows has an answer that it describes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hyperdive.web.app import ENDPOINTS, PREFIX, api
from hyperdive.web.problems import CODES
from tests.web.conftest import Running

DESCRIPTION = api().openapi()
OPERATIONS = [
    (method, path)
    for path, methods in DESCRIPTION["paths"].items()
    for method in methods
    if not path.endswith("/events") and (method, path) != ("post", "/api/v1/taxonomies")
]
WORDS = [
    "dog",
    "animal",
    "poodle",
    "string quartet",
    "malaria",
    "Paris",
    "qwxyz",
    "dgo",
    "ночь",
    "a b c d",
    "<b>",
    "'",
    "%",
]
FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema behind its reference."""
    while "$ref" in schema:
        schema = DESCRIPTION["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def text(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    most = min(schema.get("maxLength", 30), 30)
    free = st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]),
        min_size=schema.get("minLength", 0),
        max_size=most,
    )
    return st.one_of(st.sampled_from(WORDS), free)


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a schema allows, small ones; lists are short."""
    schema = resolve(schema)
    if parts := schema.get("anyOf", schema.get("oneOf")):
        return st.one_of([values(part) for part in parts])
    if "const" in schema or "enum" in schema:
        return st.sampled_from([schema["const"]] if "const" in schema else schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return st.one_of([values({**schema, "type": one}) for one in kind])
    if kind == "object":
        needed, offered = schema.get("required", []), schema.get("properties", {})
        return st.fixed_dictionaries(
            {name: values(offered[name]) for name in needed},
            optional={name: values(part) for name, part in offered.items() if name not in needed},
        )
    if kind == "array":
        if "prefixItems" in schema:
            return st.tuples(*map(values, schema["prefixItems"])).map(list)
        least = schema.get("minItems", 0)
        return st.lists(values(schema["items"]), min_size=least, max_size=max(3, least))
    if kind == "integer":
        low = int(schema.get("minimum", -5))
        return st.integers(low, min(int(schema.get("maximum", 50)), low + 30))
    if kind == "number":
        low, high = schema.get("minimum", -1e6), schema.get("maximum", 1e6)
        return FINITE.filter(lambda value: low <= value <= high)
    return {"string": text(schema), "boolean": st.booleans(), "null": st.none()}[kind]  # type: ignore[index]


def parameters(operation: dict[str, Any], place: str) -> st.SearchStrategy[dict[str, Any]]:
    chosen = [one for one in operation.get("parameters", ()) if one["in"] == place]
    return st.fixed_dictionaries(
        {one["name"]: values(one["schema"]) for one in chosen if one["required"]},
        optional={one["name"]: values(one["schema"]) for one in chosen if not one["required"]},
    )


@cache
def requests(method: str, path: str) -> st.SearchStrategy[Any]:
    """The path with its parameters, the query, and the body of an operation."""
    operation = DESCRIPTION["paths"][path][method]
    body = operation.get("requestBody", {"content": {"application/json": {"schema": {"type": "null"}}}})
    models = st.sampled_from(["small", "other"])
    return st.tuples(
        parameters(operation, "path").flatmap(
            lambda given: st.fixed_dictionaries(
                {
                    **{name: st.just(value) for name, value in given.items()},
                    **({"model": models} if "model" in given else {}),
                }
            )
        ),
        parameters(operation, "query"),
        values(body["content"]["application/json"]["schema"]),
    )


def as_text(value: Any) -> Any:
    """How a value is written in a query."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return [as_text(one) for one in value] if isinstance(value, list) else value


def check(answer: httpx.Response, operation: dict[str, Any]) -> None:
    """The answer has a status and a content that the description allows."""
    assert answer.status_code == 200 or answer.status_code in CODES.values(), (answer.status_code, answer.text[:200])
    reply = operation["responses"].get(str(answer.status_code), operation["responses"]["default"])
    content = reply["content"]
    if "*/*" in content and answer.status_code == 200:
        assert answer.headers["content-disposition"]
        return
    assert answer.headers["content-type"] == "application/json"
    schema = content["application/json"]["schema"]
    parsed = json.loads(answer.text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    validator(json.dumps(schema)).validate(parsed)


@cache
def validator(schema: str) -> Any:
    whole = {**json.loads(schema), "components": DESCRIPTION["components"]}
    return jsonschema.Draft202012Validator(whole)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, small: Path) -> Iterator[Running]:
    """A server over the small model, whose corrections may change."""
    folder = tmp_path_factory.mktemp("contract")
    running = Running(folder, str(small), "--corrections", str(folder))
    yield running
    running.stop()


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=lambda value: str(value).removeprefix(PREFIX))
def test_allowed_requests_have_described_answers(served: Running, method: str, path: str) -> None:
    operation = DESCRIPTION["paths"][path][method]

    @settings(max_examples=12, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
    @given(request=requests(method, path))
    def asked(request: Any) -> None:
        in_path, query, body = request
        address = path
        for name, value in in_path.items():
            address = address.replace(f"{{{name}}}", quote(str(value), safe="") or "x")
        given_query = {name: as_text(value) for name, value in query.items() if value is not None}
        answer = served.client.request(
            method.upper(), address, params=given_query, json=body if method == "post" else None
        )
        if answer.status_code == 404 and "not_found" in answer.text:
            return  # a path parameter such as ".." that makes another address of it
        check(answer, operation)

    asked()
    assert "Traceback" not in served.log()


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=lambda value: str(value).removeprefix(PREFIX))
def test_wrong_types_are_refused(served: Running, method: str, path: str) -> None:
    """Each field with a value of a type that it does not have."""
    operation = DESCRIPTION["paths"][path][method]
    address = path.replace("{id}", "x").replace("{model}", "small")
    if method == "post":
        schema = resolve(operation["requestBody"]["content"]["application/json"]["schema"])
        for name in schema["properties"]:
            answer = served.client.post(address, json={name: {"no": ["such"]}})
            assert answer.status_code == 400, (name, answer.text)
    else:
        answer = served.client.request(method.upper(), address, params={"no_such_parameter": "1"})
        assert answer.status_code == 400 and "no_such_parameter" in answer.json()["error"]["message"]


def test_the_description_is_served_and_valid(served: Running) -> None:
    shown = served.get("openapi.json").json()
    assert shown == json.loads(json.dumps(DESCRIPTION))
    for name, schema in shown["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["description"], name
    assert {(one.method.lower(), f"{PREFIX}{one.path}") for one in ENDPOINTS} == {
        (method, path) for path, methods in shown["paths"].items() for method in methods
    }
    page = served.client.get("/api/docs")
    assert page.status_code == 200 and all(path in page.text for path in shown["paths"])
    assert "<script" not in page.text
