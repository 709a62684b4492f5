"""The languages by name; a module is imported when its language is asked for."""

from collections.abc import Iterable
from importlib import import_module

from ghostmem.errors import InvalidInputError
from ghostmem.outline.languages.base import Language

# by name: other names of the language. It is the object LANGUAGE of the module <name> in this
# package.
LANGUAGES = {
    "go": ("golang",),
    "python": ("py",),
    "javascript": ("js", "node", "jsx"),
    "typescript": ("ts", "tsx"),
    "rust": ("rs",),
    "java": (),
    "c": (),
    "cpp": ("c++", "cxx"),
    "ruby": ("rb",),
    "csharp": ("c#", "cs"),
    "php": (),
    "kotlin": ("kt",),
}
# The language of a file by the ending of its name, known without importing the languages.
SUFFIXES = {
    "go": "go",
    "py": "python",
    "pyi": "python",
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "javascript"),
    **dict.fromkeys(("ts", "tsx", "mts", "cts"), "typescript"),
    "rs": "rust",
    "java": "java",
    **dict.fromkeys(("c", "h"), "c"),
    **dict.fromkeys("cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp".split(), "cpp"),
    **dict.fromkeys(("rb", "rake", "gemspec"), "ruby"),
    "cs": "csharp",
    **dict.fromkeys(("php", "phtml"), "php"),
    **dict.fromkeys(("kt", "kts"), "kotlin"),
}


def detected_languages(endings: Iterable[str]) -> list[str]:
    """Return the languages of files by the endings of their names.

    Headers are C++ in a project that has C++ sources and no C sources.
    """
    used = {ending for ending in endings if ending in SUFFIXES}
    languages = {SUFFIXES[ending] for ending in used}
    if "cpp" in languages and "c" not in used:
        languages.discard("c")
    return [name for name in LANGUAGES if name in languages]


def language_named(name: str) -> Language:
    """Return a language by any of its names; the error for an unknown one lists all languages."""
    wanted = name.strip().lower()
    matches = (main for main, aliases in LANGUAGES.items() if wanted in (main, *aliases))
    chosen = next(matches, None)
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
