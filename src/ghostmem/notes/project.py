"""The namespace of the project that a folder belongs to."""

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PREFIX = "project"
_MAX_NAME = 90
_URL = re.compile(r"^\s*url\s*=\s*(.*?)\s*$", re.MULTILINE)
_NAMELESS = {"", ".", "..", "-", "@", ":"}


class Project(NamedTuple):
    """The namespace of a project, and how it was found."""

    ns: str
    reason: str


def project_namespace(folder: str | None = None) -> str:
    """Return the namespace of the project that a folder belongs to.

    A repository is named by its remote, so that clones, worktrees and subfolders are one project;
    without a remote by its folder; without a repository by the folder itself."""
    return find_project(folder).ns


def enclosing_project(folder: str) -> str | None:
    """Return the namespace of the project that contains a folder, or None.

    A project is a git repository, or else the current folder, which names the default namespace.
    The home folder is none, because folders of all projects are in it."""
    with suppress(OSError):
        here = os.path.realpath(os.getcwd())
        if _common_dir(folder) is not None:
            return project_namespace(folder)
        if here in _above(folder) and here != os.path.realpath(os.path.expanduser("~")):
            return project_namespace(here)
    return None


def find_project(folder: str | None = None) -> Project:
    """Return the project that a folder belongs to; see `project_namespace`."""
    try:
        here = os.path.realpath(folder or os.getcwd())
    except OSError:
        return Project(named_namespace(PREFIX, ""), "the folder does not exist any more")
    common = _common_dir(here)
    if common is None:
        reason = f"the name of the folder {here}, which is in no git repository"
        return Project(named_namespace(PREFIX, os.path.basename(here)), reason)
    if remote := _remote(common):
        reason = f"the remote {remote} of the git repository {common}"
        return Project(named_namespace(PREFIX, remote), reason)
    folder, name = os.path.split(common)
    home = os.path.basename(folder) if name.startswith(".") else name.removesuffix(".git")
    reason = f"the name of the git repository {common}, which has no remote"
    return Project(named_namespace(PREFIX, home), reason)


def _above(folder: str) -> list[str]:
    return [folder, *map(str, Path(folder).parents)]


def _common_dir(folder: str) -> str | None:
    """Return the directory that all worktrees of a repository share."""
    for place in _above(folder):
        git = os.path.join(place, ".git")
        if os.path.isdir(git):
            return git
        if os.path.isfile(git):
            target = _read(git).partition("gitdir:")[2].strip()
            git = os.path.normpath(os.path.join(place, target)) if target else git
            shared = _read(os.path.join(git, "commondir")).strip()
            return os.path.normpath(os.path.join(git, shared)) if shared else git
        if os.path.isfile(os.path.join(place, "HEAD")) and os.path.isdir(
            os.path.join(place, "objects")
        ):
            return place  # a bare repository
    return None


def _remote(common: str) -> str:
    """Return `owner/name` of the remote origin, or of the first remote."""
    parts = re.split(
        r"^\s*\[remote \"(.*?)\"\]\s*$", _read(os.path.join(common, "config")), flags=re.MULTILINE
    )
    remotes = {
        name: _URL.search(body.split("\n[")[0])
        for name, body in zip(parts[1::2], parts[2::2], strict=False)
    }
    remote = remotes.get("origin") or next((url for url in remotes.values() if url), None)
    return "" if remote is None else _named(remote[1])


def _named(url: str) -> str:
    """Return the last two parts of a remote's path, without host, credentials or query."""
    if "::" in url:
        return ""
    scheme, _, remainder = re.split(r"[?#]", url, maxsplit=1)[0].rpartition("://")
    place = remainder.rpartition("@")[2]
    is_short = ":" in place and not place.startswith(("/", "."))  # host:path
    separator = "/" if scheme else ":" if is_short else ""
    path = place.partition(separator)[2] if separator else place
    parts = path.rstrip("/").removesuffix(".git").split("/")
    return "/".join([part for part in parts if part not in _NAMELESS][-2:])


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(100_000)
    except OSError:
        return ""


def named_namespace(prefix: str, name: str) -> str:
    """Return a name as a namespace, with a hash if characters were lost."""
    clean = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-_")
    if name and (not clean or len(clean) > _MAX_NAME or not name.isascii()):
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        clean = f"{clean[:_MAX_NAME].rstrip('-_')}-{digest}".lstrip("-")
    return f"{prefix}:{clean or 'home'}"
