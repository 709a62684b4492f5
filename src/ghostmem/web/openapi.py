"""The OpenAPI document, made from the table of routes."""

from typing import Any

from ghostmem._version import __version__
from ghostmem.web.route import ApiRoute
from ghostmem.web.routes import ROUTES

_REFUSALS = {
    400: "Something that was sent cannot be accepted.",
    401: "A token is needed, or the one sent is not valid.",
    403: "The token has no such grant.",
    404: "Not found.",
    405: "The path has no such method.",
    408: "The body did not arrive in time.",
    409: "Something is not in the state that was assumed.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    421: "The server does not answer to that name.",
    429: "Too many requests.",
    500: "Something unexpected.",
    502: "A provider failed.",
    503: "The store is busy.",
    507: "No space is left.",
}
_ERROR = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in ("error", "message", "hint")},
        "similar": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["error", "message", "hint"],
}


def document(prefix: str) -> dict[str, Any]:
    """Return the document for routes below a prefix."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(prefix + route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ghost",
            "version": __version__,
            "description": "Persistent memory for AI agents.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _operation(route: ApiRoute) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": _name(route),
        "summary": route.about,
        "description": f"Needs the scope {route.scope}.",
        "parameters": [
            _parameter(route, name)
            for name in route.takes
            if name in route.in_path or not route.has_body
        ],
        "responses": {str(status): _refused(about) for status, about in _REFUSALS.items()},
    }
    if route.has_body:
        schema = route.schema
        schema["properties"] = {
            name: about for name, about in route.takes.items() if name not in route.in_path
        }
        schema["required"] = list(route.needs)
        found["requestBody"] = {
            "required": bool(route.needs),
            "content": {"application/json": {"schema": schema}},
        }
    media = "application/x-ndjson" if route.streams else "application/json"
    good = {
        "description": "Done.",
        "content": {media: {"schema": {} if route.streams else {"type": "object"}}},
    }
    found["responses"] |= {"200": good} | ({"201": good} if route.method in ("PUT", "POST") else {})
    return found


def _parameter(route: ApiRoute, name: str) -> dict[str, Any]:
    schema = dict(route.takes[name])
    place = "path" if name in route.in_path else "query"
    if place == "path":
        schema["minLength"] = 1
    found = {
        "name": name,
        "in": place,
        "required": place == "path" or name in route.needs,
        "schema": schema,
    }
    return found | ({"style": "form", "explode": True} if schema["type"] == "array" else {})


def _name(route: ApiRoute) -> str:
    words = [part for part in route.path.split("/") if part and not part.startswith("{")]
    return "_".join([route.method.lower(), *words, *(["one"] if route.path.endswith("}") else [])])


def _refused(about: str) -> dict[str, Any]:
    return {
        "description": about,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
