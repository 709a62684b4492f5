"""The documentation site: every page is in its navigation, and the checks of `make docs` can fail.

`make docs` builds the site and runs the checks; here they run on small pages, without mkdocs.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))

import check_site  # noqa: E402


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml without running the functions that it names."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
CONFIG = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), _Loader)


def pages(nav: object) -> list[str]:
    """Return the pages of a navigation in its order."""
    if isinstance(nav, str):
        return [nav]
    children = nav.values() if isinstance(nav, dict) else nav
    return [page for child in children for page in pages(child)]  # type: ignore[attr-defined]


def section(title: str) -> list[str]:
    """Return the pages of one tab of the site."""
    return next(pages(tab) for tab in CONFIG["nav"] if title in tab)


def test_every_page_is_in_the_navigation_once() -> None:
    """The navigation has the pages of docs/ and three of the repository's root."""
    written = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}
    listed = pages(CONFIG["nav"])
    assert len(listed) == len(set(listed))
    assert set(listed) == written | {"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}


def test_records_of_maintainers_are_apart() -> None:
    """Decisions, dependencies and transcripts are in the maintainers' tab and in no other."""
    apart = set(section("Maintainers"))
    assert apart > {"decisions.md", "newcomer.md", "dependencies.md", "original.md"}
    assert {page for page in pages(CONFIG["nav"]) if page.startswith("decisions/")} < apart


def test_a_warning_fails_the_build_and_no_font_is_fetched() -> None:
    """mkdocs.yml is strict about pages, links and anchors, and uses the reader's fonts."""
    assert CONFIG["strict"] is True
    assert CONFIG["theme"]["font"] is False
    assert set(CONFIG["validation"]["links"].values()) == {"warn"}
    assert "make docs" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_resources_of_other_hosts_are_found() -> None:
    """A script, a style sheet, a font or a picture of another host is named; a link is not."""
    html = """<link rel="stylesheet" href="https://fonts.example/css"><a href="https://example.org">
      <script src="//cdn.example/x.js"></script><script src="assets/x.js"></script>
      <link rel="canonical" href="https://ghost.example/"><img src="images/a.svg">"""
    assert check_site.remote_resources(html) == ["https://fonts.example/css", "//cdn.example/x.js"]
    css = '@import "https://a.example/a.css"; a { background: url(data:image/png;base64,x) }'
    assert check_site.remote_styles(css) == ["https://a.example/a.css"]


def test_the_questions_name_pages_of_the_site() -> None:
    """Each page that a search must find first exists."""
    for page in check_site.QUESTIONS.values():
        assert (ROOT / "docs" / page.replace(".html", ".md")).is_file(), page


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_a_search_that_finds_another_page_is_a_problem(tmp_path: Path) -> None:
    """The right page first is no problem; another page first is one. The worker is a stand-in that
    answers with all pages in the order of the index.
    """
    workers = tmp_path / "assets" / "javascripts" / "workers"
    workers.mkdir(parents=True)
    (workers / "search.0.min.js").write_text(
        "let docs; addEventListener('message', ({data: {type, data}}) => { if (type === 0) docs = data.docs;"
        "postMessage({data: {items: docs.map((doc) => [doc])}}) })",
        encoding="utf-8",
    )
    (tmp_path / "search").mkdir()
    index = tmp_path / "search" / "search_index.json"
    docs = [{"location": "postgres.html#start"}, {"location": "index.html"}]
    index.write_text(json.dumps({"config": {}, "docs": docs}), encoding="utf-8")
    found = check_site.search_problems(tmp_path)
    assert len(found) == len(check_site.QUESTIONS) - 1
    assert not any(re.search("PostgreSQL", line) for line in found)


def test_the_recorded_session_is_current() -> None:
    """The picture in the README shows what its commands print today; `python tools/terminal_svg.py` draws it."""
    tool = [sys.executable, str(ROOT / "tools" / "terminal_svg.py"), "--check"]
    done = subprocess.run(tool, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
