"""Write the generated parts of the docs and the output of their examples.

    python tools/docs.py            write
    python tools/docs.py --check    write nothing; exit 1 and show the difference if a part is stale

A generated part is between `<!-- generated: NAME -->` and `<!-- end: NAME -->`; the text around
it is written by hand and only wrapped. `docs_parts` makes the parts, `docs_sessions` runs the
examples, `docs_wrap` wraps the prose."""

import re
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

from docs_parts import PARTS
from docs_sessions import with_sessions
from docs_wrap import with_wrapped_prose

ROOT = Path(__file__).resolve().parent.parent
_PART = re.compile(r"<!-- generated: (?P<name>\S+) -->\n.*?<!-- end: (?P=name) -->\n?", re.DOTALL)


def with_parts(text: str, parts: dict[str, str]) -> str:
    """Return a page with its generated parts made new.

    A new part is inserted before the part that follows it.
    """
    blocks = {
        name: f"<!-- generated: {name} -->\n\n{part}\n\n<!-- end: {name} -->\n"
        for name, part in parts.items()
    }
    if gone := [found["name"] for found in _PART.finditer(text) if found["name"] not in parts]:
        sys.exit(f"remove the parts {gone} by hand, with what is written about them")
    text = _PART.sub(lambda found: blocks[found["name"]], text)
    names = list(parts)
    for number, name in enumerate(names):
        if f"<!-- generated: {name} -->" not in text:
            places = (text.find(f"<!-- generated: {after} -->") for after in names[number + 1 :])
            place = next((place for place in places if place >= 0), len(text))
            text = f"{text[:place].rstrip()}\n\n{blocks[name]}\n{text[place:]}"
    return text.rstrip() + "\n"


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every page with the text it should have."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        text = with_parts(text, PARTS[name]()) if name in PARTS else text
        yield path, with_wrapped_prose(with_sessions(text, name))


def main() -> int:
    """Write or check."""
    stale = 0
    for path, text in pages():
        before = path.read_text(encoding="utf-8")
        if text == before:
            continue
        stale += 1
        if "--check" in sys.argv[1:]:
            name = path.relative_to(ROOT).as_posix()
            sys.stdout.writelines(
                unified_diff(
                    before.splitlines(True), text.splitlines(True), name, f"{name} (from the code)"
                )
            )
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"wrote {path.relative_to(ROOT)}")
    if stale and "--check" in sys.argv[1:]:
        print(f"\n{stale} stale: run `python tools/docs.py`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
