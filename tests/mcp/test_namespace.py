"""Which namespace is meant: the argument's, the setting's, or the project's, whose folders and worktrees agree"""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import mcp_types as types
import pytest

from ghostmem import Ghost
from ghostmem.mcp.tool_server import ToolServer
from ghostmem.model import is_namespace
from ghostmem.notes.project import project_namespace
from ghostmem.settings import Settings

if TYPE_CHECKING:
    from conftest import Place

SECRET = "hunter2-s3cret"


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that runs git with no configuration but its own."""
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    people = {
        f"GIT_{who}_{what}": "a@b.c"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }

    def run(*args: object, cwd: Path = tmp_path) -> str:
        words = [
            *"git -c init.defaultBranch=main -c protocol.file.allow=always".split(),
            *map(str, args),
        ]
        done = subprocess.run(
            words,
            cwd=cwd,
            env=os.environ | settings | people,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Callable[..., str]) -> Path:
    """Return a repository with one commit and no remote."""
    folder = tmp_path / "Shop"
    git("init", folder)
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / "src" / "deep" / "a.py").write_text("1\n", encoding="utf-8")
    git("add", ".", cwd=folder)
    git("commit", "-m", "first", cwd=folder)
    return folder


def with_remote(folder: Path, url: str, name: str = "origin") -> Path:
    """Give a folder a repository's configuration with a remote, as git writes it."""
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    text = f'[core]\n\tbare = false\n[remote "{name}"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/{name}/*\n'
    with open(folder / ".git" / "config", "a", encoding="utf-8") as stream:
        stream.write(text)
    return folder


def ns(folder: Path) -> str:
    """Return the namespace of a folder, which must be one that can be written to."""
    found = project_namespace(str(folder))
    assert is_namespace(found), found
    return found


# --- folders


def test_a_plain_folder_goes_by_its_name(tmp_path: Path) -> None:
    """Without a repository the folder's own name is the project's."""
    folder = tmp_path / "My Notes.2026"
    folder.mkdir()
    assert ns(folder) == "project:my-notes-2026"


def test_the_folder_one_is_in_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder named, the present one counts."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert project_namespace() == "project:here"


def test_a_folder_that_is_gone_is_no_reason_to_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server started in a folder that was removed meanwhile still has a namespace."""
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    try:
        assert is_namespace(project_namespace())
    finally:
        os.chdir(tmp_path)


def test_the_root_of_everything() -> None:
    """The root folder has no name and a namespace all the same."""
    assert is_namespace(project_namespace("/"))


@pytest.mark.parametrize(
    "name", ["___", "-", "...", " ", "%", "_private", "--x--", "UPPER", "1st", "a" * 250, "é" * 100]
)
def test_odd_names_make_valid_namespaces(tmp_path: Path, name: str) -> None:
    """Whatever a folder is called, its namespace can be written to."""
    folder = tmp_path / name
    folder.mkdir()
    assert ns(folder).startswith("project:")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("记忆", "数据库"),
        ("проект", "записки"),
        ("ノート", "メモ"),
        ("___", "..."),
        ("a" * 120 + "x", "a" * 120 + "y"),
    ],
)
def test_different_projects_never_share_a_namespace(tmp_path: Path, one: str, other: str) -> None:
    """Two folders whose names have no letter in common, or differ only at the end, are two projects."""
    for name in (one, other):
        (tmp_path / name).mkdir()
    assert ns(tmp_path / one) != ns(tmp_path / other)


# --- repositories


def test_a_repository_and_its_subfolders_are_one(repository: Path) -> None:
    """Without a remote a repository goes by its folder, wherever in it one is."""
    assert (
        ns(repository)
        == ns(repository / "src")
        == ns(repository / "src" / "deep")
        == "project:shop"
    )


def test_a_worktree_is_the_same_project(
    repository: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    """A worktree made by git, its subfolders, and a detached one all resolve to the repository they belong to."""
    for name, more in (("feature", ["-b", "feature"]), ("elsewhere/detached", ["--detach"])):
        git("worktree", "add", *more, tmp_path / name, cwd=repository)
        assert (
            ns(tmp_path / name)
            == ns(tmp_path / name / "src" / "deep")
            == ns(repository)
            == "project:shop"
        )


def test_a_worktree_of_a_repository_with_a_remote(
    repository: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    """The remote is read from the directory that all worktrees share."""
    git("remote", "add", "origin", "git@github.com:acme/shop-api.git", cwd=repository)
    git("worktree", "add", "-b", "fix", tmp_path / "fix", cwd=repository)
    assert ns(tmp_path / "fix" / "src") == ns(repository) == "project:acme-shop-api"


def test_a_symbolic_link_leads_to_the_same_project(repository: Path, tmp_path: Path) -> None:
    """A link into a repository resolves like the place it points to."""
    (tmp_path / "link").symlink_to(repository / "src", target_is_directory=True)
    assert ns(tmp_path / "link") == "project:shop"


@pytest.mark.parametrize("remote", [True, False])
def test_a_bare_repository_and_its_worktrees(
    repository: Path, git: Callable[..., str], tmp_path: Path, remote: bool
) -> None:
    """A bare repository, with a remote or without, and the worktrees beside it agree."""
    bare = tmp_path / "shop.git"
    git("clone", "--bare", repository, bare)
    if not remote:
        git("remote", "remove", "origin", cwd=bare)
    for name in ("one", "two"):
        git("worktree", "add", "--detach", tmp_path / name, cwd=bare)
    assert ns(tmp_path / "one") == ns(tmp_path / "two") == ns(bare)


def test_projects_kept_in_a_hidden_bare_repository_stay_apart(
    git: Callable[..., str], tmp_path: Path
) -> None:
    """The layout with a .bare folder, a .git file and worktrees beside it is named after the folder that holds it."""
    for name in ("alpha", "beta"):
        folder = tmp_path / name
        git("init", "--bare", folder / ".bare")
        (folder / ".git").write_text("gitdir: ./.bare\n", encoding="utf-8")
        tree = git("hash-object", "-t", "tree", "-w", os.devnull, cwd=folder / ".bare").strip()
        commit = git("commit-tree", tree, "-m", "first", cwd=folder / ".bare").strip()
        git("update-ref", "refs/heads/main", commit, cwd=folder / ".bare")
        git("worktree", "add", folder / "main", "main", cwd=folder)
        assert ns(folder) == ns(folder / "main")
    assert ns(tmp_path / "alpha") != ns(tmp_path / "beta")


def test_a_submodule_is_a_project_of_its_own(
    repository: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    """Inside a submodule its own remote counts, not that of the repository around it."""
    git("init", tmp_path / "around")
    git("remote", "add", "origin", "https://github.com/acme/around.git", cwd=tmp_path / "around")
    git("submodule", "add", repository, "vendor/lib", cwd=tmp_path / "around")
    inside = tmp_path / "around" / "vendor" / "lib"
    git("remote", "set-url", "origin", "https://github.com/acme/lib.git", cwd=inside)
    assert ns(inside) == ns(inside / "src") == "project:acme-lib"
    assert ns(tmp_path / "around" / "vendor") == "project:acme-around"


def test_a_nested_repository_is_the_innermost(repository: Path, git: Callable[..., str]) -> None:
    """A repository inside another is a project of its own."""
    git("init", repository / "src" / "inner")
    assert ns(repository / "src" / "inner") == "project:inner"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "gitdir:",
        "gitdir: /nowhere/at/all",
        "gitdir: ../nope/.git/worktrees/x\n",
        "\x00\x01",
        "gitdir: " + "x" * 5000,
    ],
)
def test_a_broken_git_file_is_no_reason_to_fail(tmp_path: Path, text: str) -> None:
    """A .git file that leads nowhere leaves a folder with a valid name, the same in its subfolders."""
    folder = tmp_path / "broken"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").write_text(text, encoding="utf-8")
    assert ns(folder) == ns(folder / "sub")


@pytest.mark.parametrize(
    "config",
    [b"", b"\xff\xfe\x00", b'[remote "origin"]\n', b'[remote "origin"\n\turl = x', b"[" * 10_000],
)
def test_a_broken_configuration_is_no_reason_to_fail(tmp_path: Path, config: bytes) -> None:
    """A repository whose configuration says nothing goes by its folder."""
    (tmp_path / "broken" / ".git").mkdir(parents=True)
    (tmp_path / "broken" / ".git" / "config").write_bytes(config)
    assert ns(tmp_path / "broken") == "project:broken"


# --- remotes


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Acme/Shop.git",
        "https://github.com/acme/shop",
        "https://github.com/acme/shop.git/",
        "http://github.com/acme/shop/",
        "git@github.com:acme/shop.git",
        "github.com:acme/shop",
        "ssh://git@github.com/acme/shop.git",
        "ssh://git@github.com:22/acme/shop.git",
        "ssh://github.com:2222/acme/shop",
        "git://github.com/acme/shop.git",
        "git+ssh://git@github.com/acme/shop.git",
        "https://github.com:8443/acme/shop.git",
        f"https://ada:{SECRET}@github.com/acme/shop.git",
        f"https://{SECRET}@github.com/acme/shop.git",
        f"https://oauth2:{SECRET}@github.com:8443/acme/shop.git",
        f"ssh://ada:{SECRET}@github.com:22/acme/shop.git",
        f"https://ada:{SECRET}%40x@github.com/acme/shop.git",
        f"https://ada:p@{SECRET}@github.com/acme/shop.git",
        f"HTTPS://ada:{SECRET}@github.com/acme/shop.git",
        f"https://github.com/acme/shop.git?access_token={SECRET}",
        f"https://github.com/acme/shop?token={SECRET}#{SECRET}",
    ],
)
def test_every_clone_of_a_remote_is_one_project(tmp_path: Path, url: str) -> None:
    """However a remote is written, clones of it are one project, and no credential is ever part of its name."""
    found = ns(with_remote(tmp_path / "clone", url))
    assert SECRET not in found
    assert found == "project:acme-shop"


@pytest.mark.parametrize(
    "url",
    [
        f"https://ada:{SECRET}@example.org/shop.git",
        f"HTTPS://ada:{SECRET}@example.org/shop.git",
        f"https://{SECRET}@example.org",
        f"https://ada:{SECRET}@example.org:8443/",
        f"ada:{SECRET}@example.org:shop.git",
        f"ext::ssh -o pass={SECRET} host %S shop",
        f"https://example.org/{SECRET}@shop/x/y?key={SECRET}",
        f"https://ada:{SECRET}/more@example.org/shop.git",
    ],
)
def test_a_credential_is_never_in_the_namespace(tmp_path: Path, url: str) -> None:
    """Odd remotes may give odd names, but nothing of their credentials."""
    assert SECRET not in ns(with_remote(tmp_path / "clone", url))


def test_a_real_clone_is_the_same_project(
    repository: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    """A clone made by git, whose remote is then written in another way, agrees with the first."""
    git("remote", "add", "origin", "https://gitlab.example/group/shop.git", cwd=repository)
    git("clone", repository, tmp_path / "second")
    git(
        "remote",
        "set-url",
        "origin",
        "ssh://git@gitlab.example:2222/group/shop.git",
        cwd=tmp_path / "second",
    )
    assert ns(tmp_path / "second" / "src") == ns(repository) == "project:group-shop"


def test_origin_comes_before_other_remotes(tmp_path: Path) -> None:
    """With several remotes origin is the project's, and without it the first there is."""
    folder = with_remote(tmp_path / "fork", "https://github.com/upstream/shop", "upstream")
    assert ns(folder) == "project:upstream-shop"
    assert ns(with_remote(folder, "https://github.com/me/shop")) == "project:me-shop"


def test_a_push_address_is_not_the_remote(tmp_path: Path) -> None:
    """Only the address that is fetched from counts."""
    folder = tmp_path / "clone"
    (folder / ".git").mkdir(parents=True)
    text = '[remote "origin"]\n\tpushurl = git@a.b:me/other.git\n\turl = git@a.b:me/shop.git\n[branch "main"]\n\tremote = origin\n'
    (folder / ".git" / "config").write_text(text, encoding="utf-8")
    assert ns(folder) == "project:me-shop"


@pytest.mark.parametrize("url", [".", "..", "/", "file:///", "https://", "-", "@", ":"])
def test_a_remote_that_names_nothing_leaves_the_folder(tmp_path: Path, url: str) -> None:
    """A remote without a name in it is as good as none."""
    assert ns(with_remote(tmp_path / "clone", url)) == "project:clone"


@pytest.mark.parametrize(
    "url", ["/srv/git/shop.git", "file:///srv/git/shop.git", "../git/shop.git"]
)
def test_a_remote_on_this_machine(tmp_path: Path, url: str) -> None:
    """A remote that is a folder goes by the end of its path."""
    assert ns(with_remote(tmp_path / "clone", url)) == "project:git-shop"


# --- which one is meant


def test_the_argument_comes_first_then_the_setting_then_the_project(
    place: "Place", repository: Path
) -> None:
    """A call's own namespace counts most, GHOST_NS next, and the project's last."""
    with place.agent(cwd=repository, GHOST_NS="agent:set") as agent:
        assert agent.ok("ghost_put", ns="agent:named", key="k", content="c")["ns"] == "agent:named"
        assert agent.ok("ghost_put", key="k", content="c")["ns"] == "agent:set"
        assert agent.ok("ghost_put", ns=None, key="k", content="c")["ns"] == "agent:set"
    with place.agent(cwd=repository / "src") as agent:
        assert agent.ok("ghost_put", key="k", content="c")["ns"] == "project:shop"


def test_reads_and_writes_agree(
    place: "Place", repository: Path, git: Callable[..., str], tmp_path: Path
) -> None:
    """What is put without a namespace in one worktree is found by every reading tool in another, without a namespace."""
    git("worktree", "add", "-b", "feature", tmp_path / "feature", cwd=repository)
    with place.agent(cwd=repository) as agent:
        agent.ok("ghost_put", key="tea", content="The user drinks green tea.")
        agent.ok("ghost_put", key="cup", content="The cup is blue.")
        agent.ok("ghost_edge", from_key="tea", to_key="cup", rel="relates_to")
        agent.ok(
            "ghost_consolidate",
            summary_key="all",
            content="Tea and cup.",
            source_keys=["tea", "cup"],
        )
    with place.agent(cwd=tmp_path / "feature" / "src") as agent:
        assert agent.ok("ghost_get", key="tea")["ns"] == "project:shop"
        assert agent.ok("ghost_search", query="green tea")["results"][0]["key"] == "tea"
        assert "tea" in {
            memory["key"] for memory in agent.ok("ghost_context", query="green tea")["memories"]
        }
        assert [node["key"] for node in agent.ok("ghost_expand")["nodes"]] == ["all"]
        assert len(agent.ok("ghost_edge", from_key="tea", op="list")["edges"]) == 2
        assert len(agent.ok("ghost_edge_candidates")["candidates"]) == 1
        assert agent.ok("ghost_reflect", dry_run=True)["memories_evaluated"] == 3
        assert agent.ok("ghost_curate", key="tea", op="used")["ns"] == "project:shop"
        address = types.ResourceTemplateReference(type="ref/resource", uri="memory://{ns}/{key}")
        assert agent.ask("complete", address, {"name": "key", "value": "te"}).completion.values == [
            "tea"
        ]


def test_another_project_sees_nothing_of_it(place: "Place", tmp_path: Path) -> None:
    """Without a namespace a search stays within the project."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with place.agent(cwd=tmp_path / "one") as agent:
        agent.ok("ghost_put", key="tea", content="The user drinks green tea.")
    with place.agent(cwd=tmp_path / "two") as agent:
        assert agent.ok("ghost_search", query="green tea")["results"] == []
        assert agent.ok("ghost_context", query="green tea")["memories"] == []
        assert [
            hit["ns"] for hit in agent.ok("ghost_search", query="green tea", ns="*")["results"]
        ] == ["project:one"]


def test_an_empty_namespace_is_the_default(place: "Place") -> None:
    """A client that sends an empty text means no namespace in particular, in reads and in writes."""
    with place.agent() as agent:
        assert agent.ok("ghost_put", ns="", key="k", content="green tea")["ns"] == "project:work"
        assert agent.ok("ghost_get", ns="", key="k")["ns"] == "project:work"
        found = agent.ok("ghost_search", ns="", query="green tea")
        assert (found["ns"], [hit["key"] for hit in found["results"]]) == ("project:work", ["k"])


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[ToolServer]:
    """Return a server that works in the folder of the project shop."""
    folder = tmp_path / "shop"
    folder.mkdir()
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        yield ToolServer(ghost, folder=str(folder))


def test_the_name_of_the_project_means_its_namespace(shop: ToolServer) -> None:
    """`shop` is the namespace project:shop, for writes and reads, unless there is a namespace shop."""
    call = {"ns": "shop", "key": "days", "content": "We deploy on Tuesdays."}
    assert shop.call("ghost_put", call)["structuredContent"]["ns"] == "project:shop"
    assert shop.call("ghost_get", {"ns": "shop", "key": "days"})["isError"] is False
    shop.ghost.put("shop", "days", "We deploy on Fridays.")
    found = shop.call("ghost_get", {"ns": "shop", "key": "days"})["structuredContent"]
    assert (found["ns"], found["content"]) == ("shop", "We deploy on Fridays.")


def test_a_put_that_creates_a_namespace_says_so(shop: ToolServer) -> None:
    """The first memory of a namespace that is not the project's brings a note; later ones do not."""

    def notes(ns: str, key: str) -> list[str]:
        given = {"ns": ns, "key": key, "content": f"A fact about {key}."}
        return shop.call("ghost_put", given)["structuredContent"].get("notes", [])

    assert notes("shp", "a") == ["new namespace shp; calls without ns use project:shop"]
    assert notes("shp", "b") == []
    assert notes("project:shop", "a") == []
