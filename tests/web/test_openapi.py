"""The OpenAPI document is valid and complete, and what it promises is what the server does"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from jsonschema import Draft202012Validator

from ghostmem import Ghost
from ghostmem.settings import Settings
from ghostmem.web.api import PREFIX
from ghostmem.web.openapi import document
from ghostmem.web.routes import ROUTES

if TYPE_CHECKING:
    from conftest import Served

PROMISES = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
CALLS = [
    pytest.param(route.method, PREFIX + route.path, id=f"{route.method} {route.path}")
    for route in ROUTES
]
DRAW = {
    "deadline": None,
    "database": None,
    "derandomize": True,
    "suppress_health_check": list(HealthCheck),
}


def operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Return method, path and operation of everything in the document."""
    for path, methods in document(PREFIX)["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def test_every_route_is_in_the_document() -> None:
    """No route is left out, and each has a name of its own."""
    found = list(operations())
    assert {(method.upper(), path) for method, path, _ in found} == {
        (route.method, PREFIX + route.path) for route in ROUTES
    }
    names = [operation["operationId"] for _, _, operation in found]
    assert len(set(names)) == len(names)


def test_every_schema_is_valid() -> None:
    """Each schema is one that a validator takes, and each field is explained."""
    for _, path, operation in operations():
        schemas = [parameter["schema"] for parameter in operation["parameters"]]
        body = (
            operation.get("requestBody", {})
            .get("content", {})
            .get("application/json", {})
            .get("schema")
        )
        for schema in [*schemas, *([body] if body else [])]:
            Draft202012Validator.check_schema(schema)
        for name, schema in (body or {}).get("properties", {}).items():
            assert schema["description"], (path, name)
        assert all(parameter["schema"]["description"] for parameter in operation["parameters"])


def test_what_stands_in_the_path_is_a_parameter() -> None:
    """The names in braces are the parameters of the path, and all are required."""
    for _, path, operation in operations():
        named = {
            parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "path"
        }
        assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}
        assert all(
            parameter["required"]
            for parameter in operation["parameters"]
            if parameter["in"] == "path"
        )


@pytest.fixture(scope="module")
def lasting(
    tmp_path_factory: pytest.TempPathFactory, start_server: "Callable[..., Served]"
) -> "Iterator[Served]":
    """Serve one store to all calls of this module, with something in it to be found."""
    path = tmp_path_factory.mktemp("openapi") / "memory.db"
    with Ghost.open(path, settings=Settings(embed_provider="none")) as ghost:
        for key in ("0", "tea", "pot"):
            ghost.put("0", key, f"text of {key}", tags=["0"])
        ghost.edge("0", "tea", "pot", "relates_to")
        served = start_server(ghost)
        yield served
        served.stop()
        assert ghost.admin.check().problems == ()


LONGEST = 60_000  # characters of an address; beyond that the connection is cut
KNOWN = {
    "ns": "0",
    "key": "tea",
    "from_key": "tea",
    "to_key": "pot",
    "run": "last",
    "rule_id": "sys-dedup-all",
    "keys": ["tea"],
}


def aimed(case: Any) -> Any:
    """Let a request name what is there, where it names something that is there to be named."""
    for part in (case.path_parameters, case.query, case.body):
        if isinstance(part, dict):
            part.update({name: value for name, value in KNOWN.items() if name in part})
    return case


def promises_are_kept(served: "Served", method: str, path: str, examples: int) -> None:
    """Call one operation with generated requests: fitting, aimed at what is there, and unfitting ones."""
    import requests  # these need much memory and time to import
    import schemathesis
    from schemathesis.checks import CHECKS, load_all_checks

    load_all_checks()
    schema = schemathesis.openapi.from_dict(document(PREFIX))
    schema.config.update(base_url=served.url)
    checks = [CHECKS.get_one(name) for name in PROMISES]
    good, bad = (
        schema[path][method].as_strategy(generation_mode=mode)
        for mode in schemathesis.GenerationMode
    )
    nothing_to_say = next(
        not route.takes for route in ROUTES if (route.method, PREFIX + route.path) == (method, path)
    )
    for strategy in [good] if nothing_to_say else [good, good.map(aimed), bad]:

        @settings(max_examples=examples, phases=[Phase.generate], **DRAW)  # type: ignore[arg-type]
        @given(case=strategy)
        def call(case: Any) -> None:
            assume(
                len(requests.Request(**case.as_transport_kwargs()).prepare().url or "") < LONGEST
            )
            case.validate_response(case.call(), checks=checks)

        call()


@pytest.mark.wide
@pytest.mark.parametrize(("method", "path"), CALLS)
def test_promises_are_kept(lasting: "Served", method: str, path: str) -> None:
    """Whatever is sent, the answer is one that the document names, and never a 500."""
    promises_are_kept(lasting, method, path, 12)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), CALLS)
def test_promises_are_kept_at_length(lasting: "Served", method: str, path: str) -> None:
    """The same with many more requests."""
    promises_are_kept(lasting, method, path, 150)


def test_every_route_is_in_the_docs() -> None:
    """The page of the server has a row for each route, with its scope and what it does, and no other."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
    rows = [
        line for line in page.splitlines() if re.match(r"\| `(GET|PUT|POST|PATCH|DELETE) ", line)
    ]
    assert rows == [
        f"| `{route.method} {route.path}` | {route.scope} | {route.about} |" for route in ROUTES
    ]
