"""No text makes a function slow: the CPU time grows in proportion to the length of the text."""

import importlib
import inspect
import pkgutil
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

import ghostmem.capture
import ghostmem.notes
import ghostmem.setup
import ghostmem.text
import ghostmem.transfer.formats
import ghostmem.truth
from ghostmem.embed.wordpiece import words
from ghostmem.errors import GhostError
from growth import check_growth, repeated

SIZE = 4_000  # characters; the second measurement has four times as many
PACKAGES = (
    ghostmem.text,
    ghostmem.truth,
    ghostmem.capture,
    ghostmem.notes,
    ghostmem.transfer.formats,
    ghostmem.setup,
)
TEXTS = (
    "text",
    "content",
    "line",
    "message",
    "plain",
    "query",
    "question",
    "raw",
    "sentence",
    "value",
)
"""Names of parameters that hold a text of any length; a `word` or a `term` is cut to 80 characters before."""

SEEDS = {
    "dots": ".",
    "ellipses": "…",
    "question marks": "?!",
    "double quotes": '"',
    "single quotes": "'",
    "curly quotes": "“",
    "backticks": "`",
    "tildes": "~",
    "open brackets": "[",
    "closed brackets": "]",
    "open parentheses": "(",
    "open braces": "{",
    "less than": "<",
    "greater than": "> ",
    "spaces": " ",
    "tabs": "\t",
    "newlines": "\n",
    "carriage returns": "\r\n",
    "letters": "a",
    "capitals": "A",
    "camel case": "aB",
    "digits": "1",
    "dates": "2024-01-",
    "emoji": "😀",
    "flags": "🇩",
    "combining marks": "e\u0301\u0300",
    "ideographs": "记",
    "full stops of Chinese": "。",
    "hyphens": "-",
    "underscores": "_",
    "slashes": "/",
    "backslashes": "\\",
    "colons": ":",
    "equals": "=",
    "hashes": "#",
    "hash lines": "#\n",
    "stars": "*",
    "pipes": "|",
    "table rows": "| a ",
    "table lines": "|-|\n",
    "list items": "- a\n",
    "indented items": "    - a\n",
    "numbered items": "1. ",
    "quotations": '"a ',
    "sentences": "it is. ",
    "short words": "a b ",
    "dotted words": "a.b",
    "passwords": "password=",
    "token words": "token ",
    "URLs": "http://a:b",
    "base64": "eyJhb.",
    "links": "[[a",
    "links with text": "[a](",
    "fences": "```\n",
    "front matter": "---\n",
    "labels": "User: ",
    "users": "@a",
    "commas": "a, ",
    "orders": "ignore all previous ",
    "numbers with words": "two days ",
    "apostrophes": "l'a",
    "percent signs": "%2",
    "diff lines": "@@ -1 +1 @@\n",
}
END = "x"  # a pattern that must end at a space must not go back over a run that has none behind it


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(found.name)


def _takes_one_text(function: Callable[..., Any]) -> bool:
    """Say whether a function can be called with one text alone."""
    needed = [
        one for one in inspect.signature(function).parameters.values() if one.default is one.empty
    ]
    return len(needed) == 1 and needed[0].annotation in (str, "str") and needed[0].name in TEXTS


def _functions() -> dict[str, Callable[[str], Any]]:
    """Return every public function of the packages that takes a text, by its name."""
    found: dict[str, Callable[[str], Any]] = {"embed.wordpiece.encode": words().encode}
    for package in PACKAGES:
        for module in _modules(package):
            for name, function in inspect.getmembers(module, inspect.isfunction):
                own = function.__module__ == module.__name__ and not name.startswith("_")
                if own and _takes_one_text(function):
                    found[f"{module.__name__.removeprefix('ghostmem.')}.{name}"] = function
    return found


FUNCTIONS = _functions()


def test_there_is_something_to_measure() -> None:
    """The functions are found by their signatures, so that a new one is measured without being named here."""
    assert {
        "text.capture.statements",
        "text.terms.index_terms",
        "text.redact.redact",
        "capture.candidates.candidates",
    } <= FUNCTIONS.keys()


@pytest.mark.perf
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_time_grows_with_the_text(name: str) -> None:
    """Four times the text costs about four times the CPU, whatever the text is made of."""

    def work(text: str) -> None:
        with suppress(GhostError, ValueError):  # a text that is refused
            result = FUNCTIONS[name](text)
            if isinstance(result, Iterator):
                deque(result, maxlen=0)

    work("begin and warm up.")
    for seed in SEEDS.values():
        check_growth(work, repeated(seed, "begin ", END), SIZE)
