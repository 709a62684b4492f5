"""Which project a folder belongs to, and the namespace that is its own."""

import os
import re
from collections.abc import Iterator

PREFIX = "project"
_URL = re.compile(r"^\s*url\s*=\s*(\S+)", re.MULTILINE)


def project_namespace(folder: str | None = None) -> str:
    """Return the namespace of the project that a folder belongs to.

    A repository is known by its remote, so that clones, worktrees and subfolders are one project; without a remote by the
    folder that holds it; without a repository by its own name.
    """
    here = os.path.realpath(folder or os.getcwd())
    common = _common_dir(here)
    if common is None:
        return _namespace(os.path.basename(here))
    remote = _remote(common)
    home = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    return _namespace(remote or os.path.basename(home))


def _above(folder: str) -> Iterator[str]:
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _common_dir(folder: str) -> str | None:
    """Return the directory that all worktrees of a repository share."""
    for place in _above(folder):
        git = os.path.join(place, ".git")
        if os.path.isdir(git):
            return git
        if os.path.isfile(git):
            told = _read(git).partition("gitdir:")[2].strip()
            found = os.path.normpath(os.path.join(place, told)) if told else git
            shared = _read(os.path.join(found, "commondir")).strip()
            return os.path.normpath(os.path.join(found, shared)) if shared else found
    return None


def _remote(common: str) -> str:
    """Return `owner/name` of the remote called origin, or of the first there is."""
    config = _read(os.path.join(common, "config"))
    parts = re.split(r"^\s*\[remote \"(.*?)\"\]\s*$", config, flags=re.MULTILINE)
    remotes = {name: _URL.search(body.split("\n[")[0]) for name, body in zip(parts[1::2], parts[2::2], strict=False)}
    found = remotes.get("origin") or next((url for url in remotes.values() if url), None)
    if found is None:
        return ""
    path = re.sub(r"^(?:[a-z+]+://)?(?:[^@/]*@)?[^/:]*(?::\d+(?=/))?[:/]", "", found[1].removesuffix("/").removesuffix(".git"))
    return "/".join(path.split("/")[-2:])


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(100_000)
    except OSError:
        return ""


def _namespace(name: str) -> str:
    clean = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")[:100]
    return f"{PREFIX}:{clean or 'home'}"
