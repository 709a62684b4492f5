"""The languages by name; a module is imported when its language is asked for."""

from importlib import import_module

from ghostmem.errors import InvalidInputError
from ghostmem.outline.languages.base import Language

# name: other names it goes by; the module is ghostmem.outline.languages.<name>, or plain_.<name>
# there; its object LANGUAGE
LANGUAGES = {
    "go": ("golang",),
    "python": ("py",),
    "javascript": ("js", "node"),
    "typescript": ("ts",),
    "rust": ("rs",),
    "java": (),
    "c": (),
    "cpp": ("c++", "cxx"),
    "ruby": ("rb",),
    "csharp": ("c#", "cs"),
    "php": (),
    "kotlin": ("kt",),
}
PLAIN = {
    "ruby",
    "csharp",
    "php",
    "kotlin",
}  # of which only declarations, imports and base types are known


def language_named(name: str) -> Language:
    """Return a language by any of its names, or say which there are."""
    wanted = name.strip().lower()
    found = next((one for one, others in LANGUAGES.items() if wanted in (one, *others)), None)
    if found is None:
        raise InvalidInputError(
            f"unknown language {name!r}", f"the languages are: {', '.join(LANGUAGES)}"
        )
    try:
        module = import_module(
            f"ghostmem.outline.languages.{'plain_.' if found in PLAIN else ''}{found}"
        )
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("tree_sitter"):
            raise InvalidInputError(
                "the code outline is not installed", "pip install 'ghostmem[outline]'"
            ) from None
        raise
    language: Language = module.LANGUAGE
    return language
