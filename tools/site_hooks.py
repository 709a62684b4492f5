"""Hooks of mkdocs.yml: pages and links outside docs/.

The changelog and the notes for contributors are pages of the site too. Other files of the
repository are linked where `repo_url` says where it is, and are plain text otherwise."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
ROOT_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
# In a search, reference pages come after guides, and pages for maintainers after both. The words
# "how do I" match the starts of titles such as "Installing", so the page of a common question of
# that form has a boost, and so has the page that explains the words of all others.
BOOSTS = {
    r"deletion\.md": 4.0,
    r"(concepts|install)\.md": 3.0,
    r"[A-Z]+\.md|(architecture|decisions|dependencies|newcomer|original)\.md|decisions/": 0.2,
    r"library/": 0.2,
}
_LINK = re.compile(r"(?P<bang>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are in the root of the repository."""
    for name in ROOT_PAGES:
        content = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Rewrite the links that lead out of docs/, and set the weight of the page in searches."""
    source = page.file.src_uri
    for pattern, boost in BOOSTS.items():
        if re.match(pattern, source):
            page.meta["search"] = {"boost": boost}
    in_repository = source if source in ROOT_PAGES else f"docs/{source}"

    def rewritten(found: re.Match[str]) -> str:
        target, _, anchor = found["target"].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return found[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(in_repository), target))
        inside = path if path in ROOT_PAGES else path.removeprefix("docs/")
        if path in ROOT_PAGES or path.startswith("docs/"):
            link = posixpath.relpath(inside, posixpath.dirname(source) or ".")
            return f"{found['bang']}[{found['text']}]({link}{'#' * bool(anchor)}{anchor})"
        if config.repo_url:
            return f"[{found['text']}]({config.repo_url.rstrip('/')}/blob/main/{path})"
        return found["text"]

    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else _LINK.sub(rewritten, part) for part in parts)
