"""Check the documentation site that `make docs` built.

    python tools/check_site.py site

- No page loads a script, style sheet, font or picture from another host.
- The site's own search, run in Node.js by tools/site_search.js, answers each question of
  QUESTIONS with the right page first. Without Node.js this is not checked, which is an error
  where GHOST_TEST_STRICT=1.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

# A question and the page that a search for it shows first.
QUESTIONS = {
    "how do I delete a memory": "deletion.html",
    "use with Cursor": "clients/cursor.html",
    "PostgreSQL": "postgres.html",
    "install": "install.html",
    "backup": "storage.html",
    "ghost put": "cli/every-day.html",
    "import from mem0": "foreign.html",
    "environment variables": "settings.html",
    "namespace": "concepts.html",
    "pin": "concepts.html",
    "upgrade": "install.html",
    "api key": "embeddings.html",
}
_LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "srcset", "link": "href"}
_LOADING_LINKS = {"stylesheet", "preconnect", "preload", "dns-prefetch", "icon", "manifest"}
_REMOTE = re.compile(r"(?:[a-z]+:)?//")


class _Resources(HTMLParser):
    """Collects the addresses that a browser loads with a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the address of an element that loads something."""
        given = dict(attrs)
        address = given.get(_LOADING.get(tag, ""))
        kinds = set((given.get("rel") or "").split())
        if address and (tag != "link" or kinds & _LOADING_LINKS):
            self.addresses.append(address)


def remote_resources(html: str) -> list[str]:
    """Return what a page loads from other hosts."""
    resources = _Resources()
    resources.feed(html)
    return [address for address in resources.addresses if _REMOTE.match(address)]


def remote_styles(css: str) -> list[str]:
    """Return what a style sheet loads from other hosts."""
    found = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", css)
    return [address for address in found if _REMOTE.match(address)]


def loading_problems(site: Path) -> list[str]:
    """Return a line for each page and style sheet that loads something from another host."""
    found = {path: remote_resources(path.read_text("utf-8")) for path in site.rglob("*.html")}
    found |= {path: remote_styles(path.read_text("utf-8")) for path in site.rglob("*.css")}
    return [f"{path} loads {', '.join(remote)}" for path, remote in found.items() if remote]


def search_problems(site: Path) -> list[str]:
    """Return a line for each question whose first page is not the right one."""
    node = shutil.which("node")
    if node is None:
        missing = "the search was not tested: there is no Node.js"
        print(missing, file=sys.stderr)
        return [missing] if os.environ.get("GHOST_TEST_STRICT") == "1" else []
    script = Path(__file__).with_name("site_search.js")
    done = subprocess.run(
        [node, script, site, *QUESTIONS], stdout=subprocess.PIPE, encoding="utf-8", check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        f"a search for {question!r} shows {pages[:3]}, not {right} first"
        for (question, right), pages in zip(QUESTIONS.items(), answers, strict=True)
        if pages[:1] != [right]
    ]


def main() -> int:
    """Check the site and print what is wrong."""
    site = Path(sys.argv[1])
    problems = [*loading_problems(site), *search_problems(site)]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{len(list(site.rglob('*.html')))} pages, {len(QUESTIONS)} searches: no problem")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
