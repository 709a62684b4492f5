"""Options of commands, derived from the table of parameters; and how their values are read."""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import click

from ghostmem import parameters
from ghostmem.errors import InvalidInputError
from ghostmem.parameters import FLAG, INTEGER, NUMBER, OPERATIONS, TEXTS, Parameter
from ghostmem.schema import too_deep

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_TYPES = {INTEGER: int, NUMBER: float}
_PART = r'\s*"((?:[^"]|"")*)"\s*(?:,|$)|([^,]*)(?:,|$)'  # of a list, quoted or not


def option(parameter: Parameter, *names: str, **changes: Any) -> Decorator:
    """Return the option of a parameter; `names` replace its name, `changes` what click is given."""
    flag = f"--{parameter.name.replace('_', '-')}"
    given: dict[str, Any] = {
        "help": parameter.help + (f"  [{parameter.variable}]" if parameter.variable else ""),
        "metavar": parameter.metavar,
    }
    if parameter.type == FLAG:
        given |= {"is_flag": True} if parameter.default is not None else {"default": None}
        flag = flag if parameter.default is not None else f"{flag}/--no-{flag[2:]}"
    elif parameter.type == TEXTS:
        given["multiple"] = True
    elif parameter.type in _TYPES:
        given["type"] = _TYPES[parameter.type]
    if parameter.choices:
        given["shell_complete"] = lambda _, __, typed: [
            choice for choice in parameter.choices if choice.startswith(typed)
        ]
    if parameter.default is not None and parameter.type != FLAG:
        given |= {"default": parameter.default, "show_default": parameter.default != ""}
    spelled = names or ((parameter.short, flag) if parameter.short else (flag,))
    return click.option(*spelled, **{**given, **changes})


def options(operation: str, *parts: str | Decorator) -> Decorator:
    """Join options of an operation, given by their names or ready made, into one decorator."""
    table = OPERATIONS[operation]
    return joined(
        *(
            joined(*(option(table[name]) for name in part.split()))
            if isinstance(part, str)
            else part
            for part in parts
        )
    )


def joined(*decorators: Decorator) -> Decorator:
    """Join several options into one decorator, in the order given."""

    def apply(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


NS = option(parameters.NS)
NS_FILTER = option(parameters.NS_FILTER)
ALL = click.option("--all", "everything", is_flag=True, help="Read all namespaces.")
TIER = option(parameters.TIER)
ALLOW_SECRETS = option(parameters.ALLOW_SECRETS)
TRUST = option(parameters.TRUST)
FILTER_NAMES = "tags priority pinned source_user source_kind source_scope source_client"
TIME_NAMES = "after before valid_at"
DRY_RUN = option(parameters.DRY_RUN)
UNLOCK = option(parameters.UNLOCK)
YES = click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
KEYED = joined(
    NS,
    option(parameters.KEY, help="The key; may also be given as an argument."),
    click.argument("key_argument", metavar="[KEY]", required=False),
)


def refuse(is_wrong: object, message: str, hint: str) -> None:
    """Raise the error about options that cannot be accepted, if they are wrong."""
    if is_wrong:
        raise InvalidInputError(message, hint)


def either(option: str | None, argument: str | None, nouns: str, flag: str) -> str | None:
    """Return a value that is given as an option or as an argument, but not as both."""
    refuse(
        option and argument,
        f"two {nouns} were given: {option!r} and {argument!r}",
        f"give only one, with or without {flag}",
    )
    return argument if option is None else option


def one_key(key: str | None, argument: str | None) -> str:
    """Return the key from the option or from the argument."""
    name = either(key, argument, "keys", "-k")
    if not name:
        raise InvalidInputError(
            "a key is required", "give one with -k; `ghost list --keys-only` shows them"
        )
    return name


def words(values: tuple[str, ...]) -> list[str] | None:
    """Split the comma-separated values of a repeatable option; None when it was not given.

    As in CSV, double quotes around a part keep its commas."""
    parts = [part.strip() for value in values for part in _parts(value) if part.strip()]
    return parts if values else None


def _parts(value: str) -> list[str]:
    if '"' not in value:
        return value.split(",")
    return [
        plain if quoted is None else quoted.replace('""', '"')
        for quoted, plain in (match.groups() for match in re.finditer(_PART, value))
    ]


def read_text(argument: tuple[str, ...], what: str) -> str:
    """Return the text of the arguments, or of standard input when there are none or only `-`."""
    if argument and argument != ("-",):
        return " ".join(argument)
    refuse(
        not argument and sys.stdin.isatty(),
        f"{what} is required",
        "pass it as an argument, or on standard input",
    )
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{what} on standard input is not UTF-8 (byte {error.start})", "send UTF-8 text"
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


def json_object(text: str | None, what: str) -> dict[str, Any] | None:
    """Read the value of an option that takes a JSON object."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except RecursionError:
        raise too_deep(what) from None
    except ValueError as error:
        raise InvalidInputError(
            f"{what} is not JSON: {error}", 'write it as {"name": "value"}'
        ) from None
    if not isinstance(value, dict):
        raise InvalidInputError(
            f"{what} must be a JSON object, not {text!r}", 'write it as {"name": "value"}'
        )
    return value
