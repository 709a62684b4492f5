"""The methods of Ghost are operations, and agree with the table of parameters"""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.ghost import MOVED, Group
from ghostmem.parameters import OPERATIONS

NO_STORE: Any = None
METHODS: dict[str, Callable[..., Any]] = {
    f"{prefix}{name}": getattr(kind, name)
    for prefix, kind in {
        "": Ghost,
        **{
            f"{name}.": type(group)
            for name, group in vars(Ghost(NO_STORE)).items()
            if name != "store"
        },
    }.items()
    for name in vars(kind)
    if not name.startswith("_")
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_parameters_are_those_of_the_method(operation: str) -> None:
    """Each parameter of the table exists in the method, with the same default where both have one."""
    known = inspect.signature(METHODS[MOVED.get(operation, operation)]).parameters
    for name, parameter in OPERATIONS[operation].items():
        assert parameter.help
        assert name in known
        default = known[name].default
        if parameter.default is not None and default not in (None, inspect.Parameter.empty):
            assert default == parameter.default


@pytest.mark.parametrize("name", METHODS)
def test_every_public_parameter_is_spelled_out_and_described(name: str) -> None:
    """help() shows all parameters with their meaning, and lists errors with one indentation."""
    method = METHODS[name]
    parameters = inspect.signature(method).parameters.values()
    assert inspect.Parameter.VAR_KEYWORD not in {part.kind for part in parameters}
    sections = (inspect.getdoc(method) or "").split("\n\n")
    listed = {
        heading: {line[4:].partition(":")[0] for line in lines if line[4:5].strip()}
        for heading, *lines in (section.split("\n") for section in sections)
    }
    assert {part.name for part in parameters} - {"self", "store"} == listed.get("Args:", set())
    assert "" not in listed.get("Raises:", set())
    assert all(error.endswith("Error") for error in listed.get("Raises:", set()))


@pytest.mark.parametrize("name", METHODS)
def test_optional_parameters_are_passed_by_keyword(name: str) -> None:
    """Only the item that is acted on, and `ns`, may be optional and positional (decision 0035)."""
    acted_on = {"ns", "key", "other", "folder", "paths", "target"}
    optional = {
        part.name
        for part in inspect.signature(METHODS[name]).parameters.values()
        if part.kind is part.POSITIONAL_OR_KEYWORD and part.default is not part.empty
    }
    assert optional <= acted_on


def test_methods_show_their_signatures(ghost: Ghost) -> None:
    """A bound method has the parameters without the store, and belongs to a group or to Ghost."""
    assert list(inspect.signature(ghost.history).parameters) == ["ns", "key"]
    assert ghost.notes.folders.__doc__
    assert isinstance(ghost.notes, Group)


@pytest.mark.parametrize("name", MOVED)
def test_names_of_earlier_versions_work_with_a_warning(ghost: Ghost, name: str) -> None:
    """A method that moved to a group is found by its old name until 1.0."""
    with pytest.warns(DeprecationWarning, match=f"Ghost.{MOVED[name]} now"):
        moved = getattr(ghost, name)
    assert moved.__name__ == METHODS[MOVED[name]].__name__


def test_positional_forms_of_earlier_versions_work_with_a_warning(ghost: Ghost) -> None:
    """Optional parameters that were positional are accepted by position until 1.0."""
    for key in ("a", "b"):
        ghost.put("agent:a", key, f"about {key}")
    get: Any = ghost.get
    edge: Any = ghost.edge
    with pytest.warns(DeprecationWarning, match="pass version of get by keyword"):
        assert get("agent:a", "a", 1).version == 1
    with pytest.warns(DeprecationWarning, match="pass weight of edge by keyword"):
        assert edge("agent:a", "a", "b", "refines", 0.25).weight == 0.25
    with pytest.warns(DeprecationWarning, match="by keyword"), pytest.raises(TypeError):
        get("agent:a", "a", 1, None)
