"""The viewer as one HTML document without external files, for an app in a host's frame."""

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w./-]+\.js)";$', re.MULTILINE)
_EXPORTED = re.compile(
    r"^export (?:async )?(?:function|const|class) ([A-Za-z_$][\w$]*)", re.MULTILINE
)
_LISTED = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)


def script(entry: Path) -> str:
    """Return a module and all its imports as one script; each module keeps its own scope.

    It supports the style of the viewer's modules: named imports and exports, one statement per
    line, and exports that never change.
    """
    order: dict[Path, str] = {}
    _gather(entry.resolve(), order, ())
    return "\n".join(order.values())


def _gather(path: Path, order: dict[Path, str], above: tuple[Path, ...]) -> None:
    if path in order:
        return
    if path in above:
        raise ValueError(f"{path.name} imports itself by way of {above[-1].name}")
    text = path.read_text(encoding="utf-8")
    for match in _IMPORT.finditer(text):
        _gather((path.parent / match[2]).resolve(), order, (*above, path))
    order[path] = _wrapped(path, text)


def _wrapped(path: Path, text: str) -> str:
    """Return a module as a function that runs once and returns its exports."""
    body = _IMPORT.sub(
        lambda match: (
            f"const {{{_renamed(match[1])}}} = {_name((path.parent / match[2]).resolve())};"
        ),
        text,
    )
    names = [
        *_EXPORTED.findall(body),
        *(
            part.strip()
            for found in _LISTED.findall(body)
            for part in found.split(",")
            if part.strip()
        ),
    ]
    body = _LISTED.sub("", body)
    body = re.sub(r"^export (?=async |function|const|class)", "", body, flags=re.MULTILINE)
    if left := re.search(r"^(?:import|export)\b.*$", body, re.MULTILINE):
        raise ValueError(f"{path.name} has a line that cannot be joined: {left[0][:80]}")
    return (
        f"const {_name(path)} = (() => {{\n{body}\nreturn {{ "
        f"{', '.join(dict.fromkeys(names))} }};\n}})();"
    )


def _renamed(names: str) -> str:
    return re.sub(r"\b([\w$]+) as ([\w$]+)", r"\1: \2", names)


def _name(path: Path) -> str:
    return "m_" + re.sub(r"\W", "_", path.stem)


def document(title: str, styles: Iterable[Path], entry: Path) -> str:
    """Return a self-contained HTML document with a policy that forbids everything else."""
    style = _inlined("\n".join(path.read_text(encoding="utf-8") for path in styles), "style")
    code = _inlined(script(entry), "script")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(code)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f'<body>\n<div id="app"></div>\n<script type="module">{code}</script>\n</body>\n</html>\n'
    )


def _inlined(text: str, tag: str) -> str:
    """Return a text that cannot end the element it is in."""
    if f"</{tag}" in text.lower():
        raise ValueError(f"a {tag} of ours would end its own element")
    return f"\n{text.strip()}\n"


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
