"""The decorator of frozen dataclasses."""

import copy
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from ghostmem.frozen import frozen


@frozen
class Point:
    x: int
    y: int = 0
    names: list[str] = field(default_factory=list)


@frozen
class NamedPoint(Point):
    name: str = "origin"


@frozen
class Squares:
    """Has an `__init__` of its own."""

    first: int = 0

    def __init__(self, root: int) -> None:
        self.__dict__["first"] = root * root


def test_values_by_position_by_name_and_by_default() -> None:
    point = Point(1, names=["a"])
    assert (point.x, point.y, point.names) == (1, 0, ["a"])
    assert Point(x=3, y=4).y == 4


def test_each_object_has_its_own_list() -> None:
    assert Point(1).names == []
    assert Point(1).names is not Point(1).names


@pytest.mark.parametrize("change", [lambda p: setattr(p, "x", 2), lambda p: delattr(p, "x")])
def test_a_field_can_be_neither_set_nor_deleted(change) -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError, match="'x'"):
        change(point)
    assert point.x == 1


@pytest.mark.parametrize(("values", "named"), [((), {}), ((1,), {"z": 1}), ((1, 2, [], 4), {})])
def test_wrong_values_are_refused(values, named) -> None:
    with pytest.raises(TypeError):
        Point(*values, **named)


def test_a_subclass_has_the_fields_of_both() -> None:
    point = NamedPoint(1, 2, name="home")
    assert (point.y, point.name) == (2, "home")
    assert [part.name for part in fields(NamedPoint)] == ["x", "y", "names", "name"]


def test_an_init_of_the_class_is_kept() -> None:
    assert Squares(3).first == 9


def test_copies() -> None:
    point = Point(1, 2, ["a"])
    assert replace(point, x=5).__dict__ == {"x": 5, "y": 2, "names": ["a"]}
    assert copy.deepcopy(point).__dict__ == point.__dict__
    assert pickle.loads(pickle.dumps(point)).__dict__ == point.__dict__


def test_fields_can_be_matched_by_position() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
