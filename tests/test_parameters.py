"""The table of parameters agrees with the methods of Ghost"""

import inspect

import pytest

from ghostmem import Ghost
from ghostmem.parameters import OPERATIONS


@pytest.mark.parametrize("operation", OPERATIONS)
def test_parameters_are_those_of_the_method(operation: str) -> None:
    """Each parameter of the table exists in the method, with the same default where both have one."""
    known = inspect.signature(getattr(Ghost, operation)).parameters
    for name, parameter in OPERATIONS[operation].items():
        assert name in known
        default = known[name].default
        if parameter.default is not None and default not in (None, inspect.Parameter.empty):
            assert default == parameter.default


def test_every_method_spells_out_its_parameters() -> None:
    """help() shows the names, types and defaults of all parameters."""
    methods = [method for name, method in vars(Ghost).items() if inspect.isfunction(method)]
    for method in methods:
        kinds = {part.kind for part in inspect.signature(method).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds


@pytest.mark.parametrize("name", [name for name in vars(Ghost) if not name.startswith("_")])
def test_every_public_parameter_is_described(name: str) -> None:
    """help() says what each parameter means, and lists errors with one indentation."""
    method = inspect.unwrap(getattr(Ghost, name))
    if not callable(method):
        return
    sections = (inspect.getdoc(method) or "").split("\n\n")
    listed = {
        heading: {line[4:].partition(":")[0] for line in lines if line[4:5].strip()}
        for heading, *lines in (section.split("\n") for section in sections)
    }
    named = set(inspect.signature(method).parameters) - {"self"}
    assert named == listed.get("Args:", set())
    assert "" not in listed.get("Raises:", set())
    assert all(error.endswith("Error") for error in listed.get("Raises:", set()))
