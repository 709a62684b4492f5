"""The languages by name; a module is imported when its language is asked for."""

from collections.abc import Iterable
from importlib import import_module
from typing import NamedTuple

from ghostmem.errors import InvalidInputError
from ghostmem.outline.languages.base import Language


class LanguageNames(NamedTuple):
    """The other names of a language and the endings of its files, separated by spaces."""

    others: str
    endings: str


# A language is the object LANGUAGE of the module <name> in this package. The first language with an
# ending has it.
LANGUAGES = {
    "go": LanguageNames("golang", "go"),
    "python": LanguageNames("py", "py pyi pyw"),
    "javascript": LanguageNames("js node jsx", "js mjs cjs jsx"),
    "typescript": LanguageNames("ts tsx", "ts tsx mts cts"),
    "rust": LanguageNames("rs", "rs"),
    "java": LanguageNames("", "java"),
    "c": LanguageNames("", "c h"),
    "cpp": LanguageNames("c++ cxx", "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp h"),
    "ruby": LanguageNames("rb", "rb rake gemspec"),
    "csharp": LanguageNames("c# cs", "cs"),
    "php": LanguageNames("", "php phtml"),
    "kotlin": LanguageNames("kt", "kt kts"),
}
SUFFIXES = {
    ending: name for name, names in reversed(LANGUAGES.items()) for ending in names.endings.split()
}


def suffixes_of(language: str) -> tuple[str, ...]:
    """Return the endings of the files of a language, with their dots."""
    return tuple(f".{ending}" for ending in LANGUAGES[language].endings.split())


def detected_languages(paths: Iterable[str]) -> list[str]:
    """Return the languages of files by the endings of their names.

    Headers are C++ in a project that has C++ sources and no C sources.
    """
    endings = {path.rpartition(".")[2].lower() for path in paths}
    languages = {SUFFIXES[ending] for ending in endings & SUFFIXES.keys()}
    if "cpp" in languages and "c" not in endings:
        languages.discard("c")
    return [name for name in LANGUAGES if name in languages]


def language_named(name: str) -> Language:
    """Return a language by any of its names; the error for an unknown one lists all languages."""
    wanted = name.strip().lower()
    chosen = next(
        (main for main, names in LANGUAGES.items() if wanted in (main, *names.others.split())), None
    )
    if chosen is None:
        raise InvalidInputError(
            f"unknown language {name!r}", f"the languages are: {', '.join(LANGUAGES)}"
        )
    try:
        module = import_module(f"ghostmem.outline.languages.{chosen}")
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("tree_sitter"):
            raise InvalidInputError(
                "the code outline is not installed", "pip install 'ghostmem[outline]'"
            ) from None
        raise
    language: Language = module.LANGUAGE
    return language
