"""Whatever lies in a project: an outline comes to an end, reads nothing outside, starts nothing, and says what it left out"""

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost, InvalidInputError, NotFoundError
from ghostmem.outline import parse
from ghostmem.outline.languages.table import LANGUAGES, suffixes_of
from ghostmem.outline.sources import MAX_FILE_BYTES, sources
from ghostmem.settings import Settings

# a file that declares `Good`, a place for an expression, a place for statements; how blocks and types are nested
GOOD = {
    "go": "package a\n\nfunc Good() {}\n",
    "python": "def Good():\n    pass\n",
    "javascript": "function Good() {}\n",
    "typescript": "function Good() {}\n",
    "rust": "pub fn Good() {}\n",
    "java": "class Good {}\n",
    "c": "int Good(void) { return 1; }\n",
    "cpp": "int Good() { return 1; }\n",
    "ruby": "class Good\nend\n",
    "csharp": "class Good {}\n",
    "php": "<?php\nclass Good {}\n",
    "kotlin": "class Good\n",
}
BODY = {
    "go": "package a\n\nfunc f() {{ {} }}\n",
    "python": "{}\n",
    "rust": "fn f() {{ {}; }}\n",
    "java": "class A {{ void f() {{ {}; }} }}\n",
    "c": "void f(void) {{ {}; }}\n",
    "cpp": "void f() {{ {}; }}\n",
    "ruby": "{}\n",
    "csharp": "class A {{ void F() {{ {}; }} }}\n",
    "php": "<?php {};\n",
    "kotlin": "fun f() {{ {} }}\n",
    "javascript": "function f() {{ {}; }}\n",
    "typescript": "function f() {{ {}; }}\n",
}
BRACES = ("if (x) { ", " }")
BLOCK = {
    "go": ("if x { ", " }"),
    "rust": ("if x { ", " }"),
    "ruby": ("if x\n", "\nend"),
    "php": ("if ($x) { ", " }"),
}
TYPE = {
    "go": ("type T struct { a ", "}"),
    "javascript": ("class A { m() { ", "} }"),
    "typescript": ("class A { m() { ", "} }"),
    "rust": ("mod a { ", "}"),
    "c": ("struct A { ", "} a;"),
    "cpp": ("struct A { ", "};"),
    "ruby": ("class A\n", "\nend\n"),
}
LAMBDA = {
    "python": "lambda: ",
    "javascript": "() => ",
    "typescript": "() => ",
    "rust": "|| ",
    "java": "() -> ",
    "csharp": "() => ",
    "kotlin": "{ ",
    "go": "func() { ",
    "php": "fn() => ",
    "cpp": "[]{ ",
    "ruby": "-> { ",
    "c": "(int)",
}
DEEP = 3000


def indented(word: str, depth: int) -> str:
    """Return Python blocks inside of each other."""
    return "".join(f"{' ' * at}{word}\n" for at in range(depth)) + f"{' ' * depth}pass\n"


def nested(language: str, depth: int) -> dict[str, str]:
    """Return texts that are as deep as they are long."""
    a, dot = ("$a", "->b") if language == "php" else ("a", ".b")
    block, kind = BLOCK.get(language, BRACES), TYPE.get(language, ("class A { ", "}"))
    inner = {
        "parentheses": "(" * depth + "1" + ")" * depth,
        "open": "(" * depth,
        "brackets": "[" * depth + "]" * depth,
        "braces": "{" * depth + "}" * depth,
        "calls": "f(" * depth + ")" * depth,
        "indexes": "a[" * depth + "0" + "]" * depth,
        "nots": "!" * depth + "a",
        "minuses": "- " * depth + "a",
        "sum": a + f" + {a}" * depth,
        "dots": a + dot * depth,
        "chain": a + f"{dot}()" * depth,
        "lambdas": LAMBDA[language] * depth + "1",
        "blocks": block[0] * depth + block[1] * depth,
        "generics": "A<" * depth + "B" + ">" * depth + " x",
    }
    made = {name: BODY[language].format(text) for name, text in inner.items()}
    made["types"] = ("<?php " if language == "php" else "") + kind[0] * depth + kind[1] * depth
    made["heritage"] = f"class A extends {'A.' * depth}A {{}}\n"
    made["variables"] = made["sum"]
    if language == "go":
        made["variables"] = (
            "package a\n\n"
            + "".join(f"var v{at} = v{at + 1}\n" for at in range(depth // 10))
            + "func f() { v0.m() }\n"
        )
    if language == "python":  # a line is as long as its depth, so a file ends early
        made |= {
            "blocks": indented("if x:", min(depth, 600)),
            "types": indented("class A:", min(depth, 600)),
        }
    return made


@pytest.fixture
def store() -> Iterator[Ghost]:
    """Open an empty store."""
    with Ghost.open(":memory:", settings=Settings(embed_provider="none")) as ghost:
        yield ghost


def suffix(language: str) -> str:
    """Return how a file of a language ends."""
    return suffixes_of(language)[0]


def checked(ghost: Ghost, root: Path, language: str) -> Any:
    """Outline a project in all ways; the good file's symbol must be there, and nothing that a terminal would obey."""
    made = ghost.outline.project(language=language, root=root, depth=1, max_nodes=400)
    texts = [
        made.text,
        ghost.outline.symbol("Good", language=language, root=root, depth=10, max_nodes=200).text,
    ]
    texts.append(ghost.outline.file(f"good{suffix(language)}", language=language, root=root).text)
    assert all(char.isprintable() for text in texts for line in text.split("\n") for char in line)
    json.dumps(made.data, ensure_ascii=False).encode()
    return made.data["stats"]


def project(root: Path, language: str, content: bytes = b"") -> Path:
    """Write a good file, and a hostile one beside it."""
    root.mkdir(exist_ok=True)
    (root / f"good{suffix(language)}").write_text(GOOD[language], encoding="utf-8")
    if content:
        (root / f"bad{suffix(language)}").write_bytes(content)
    return root


CONTENTS = {
    "binary": bytes(range(256)) * 40,
    "nul": b"x\0y",
    "late nul": b"/" * 9000 + b"\n\0\0\0",
    "not utf-8": b"caf\xe9 \xff\xfe\x80 = f(\xc3\x28)\n",
    "escapes": b"\x1b[31mf\x1b]0;x\x07(\x9b2J)\xc2\x9b\n",
    "newlines": b"\r\n\r\n\r\r\n\x0b\x0c\xe2\x80\xa8\n",
    "one word": b"a" * 100_000,
    "quotes": b"\"'`" * 3000,
    "json": json.dumps({"a": [1] * 500}).encode(),
}


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CONTENTS)
def test_any_content(store: Ghost, tmp_path: Path, language: str, name: str) -> None:
    """Whatever bytes have the right ending, the file beside them is outlined all the same."""
    assert checked(store, project(tmp_path / "p", language, CONTENTS[name]), language)["files"] == 2


@pytest.mark.wide(keep=16)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings(store: Ghost, tmp_path: Path, language: str, encoding: str) -> None:
    """A mark of the byte order is understood; a file full of zeros is an error of that file."""
    root = project(
        tmp_path / "p", language, GOOD[language].replace("Good", "Marked").encode(encoding)
    )
    stats = checked(store, root, language)
    if encoding in ("utf-8-sig", "utf-16"):
        assert store.outline.symbol("Marked", language=language, root=root).data["matches"]
        assert stats["parse_errors"] == []
    else:
        assert [one["file"] for one in stats["parse_errors"]] == [f"bad{suffix(language)}"]


def places(store: Ghost, root: Path, language: str) -> dict[str, tuple[int, int]]:
    """Return the lines of the symbols of a project's bad file."""
    found = store.outline.project(language=language, root=root, depth=0).data["matches"]
    bad = [one for one in found if one["file"].startswith("bad")]
    return {one["name"]: (one["line"], one["end_line"]) for one in bad}


def two_symbols(language: str, one: str, other: str, between: str = "") -> str:
    """Return a file that declares two symbols."""
    text = GOOD[language]
    begins = text.index("\n") + 1 if language in ("go", "php") else 0
    return text.replace("Good", one) + between + text[begins:].replace("Good", other)


@pytest.mark.wide(keep=4)
@pytest.mark.parametrize("language", LANGUAGES)
def test_names_in_latin_1(store: Ghost, tmp_path: Path, language: str) -> None:
    """Bytes that are not UTF-8 are read as Latin-1, and those beside them as UTF-8."""
    text = two_symbols(language, "Größe", "Prüfung")
    root = project(tmp_path / "p", language, text.encode())
    expected = places(store, root, language)
    assert len(expected) == 2
    before, name, after = text.partition("Prüfung")
    project(root, language, before.encode() + name.encode("latin-1") + after.encode())
    assert places(store, root, language) == expected


@pytest.mark.wide(keep=4)
@pytest.mark.parametrize("language", LANGUAGES)
def test_carriage_returns(store: Ghost, tmp_path: Path, language: str) -> None:
    """A file whose lines end in nothing else has the symbols and lines of any other."""
    comment = "# x\n\n" if language in ("python", "ruby") else "// x\n\n"
    text = two_symbols(language, "One", "Two", comment)
    root = project(tmp_path / "p", language, text.encode())
    expected = places(store, root, language)
    assert len(expected) == 2
    project(root, language, text.replace("\n", "\r").encode())
    assert places(store, root, language) == expected


@pytest.mark.wide(keep=4)
@pytest.mark.parametrize("language", LANGUAGES)
def test_one_long_line(store: Ghost, tmp_path: Path, language: str) -> None:
    """A line of almost two megabytes is read; a file of ten is left out, and named."""
    root = project(
        tmp_path / "p", language, BODY[language].format(f'x = "{"a" * 1_900_000}"').encode()
    )
    (root / f"huge{suffix(language)}").write_bytes(b"x" * (5 * MAX_FILE_BYTES))
    stats = checked(store, root, language)
    assert stats["files"] == 2
    assert stats["skipped"] == [
        {"file": f"huge{suffix(language)}", "reason": "has 10,000,000 bytes, more than 2,000,000"}
    ]


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", nested("python", 1))
def test_deep_nesting(store: Ghost, tmp_path: Path, language: str, name: str) -> None:
    """Thousands of levels are no reason to fail, whether they are followed or not."""
    checked(
        store, project(tmp_path / "p", language, nested(language, DEEP)[name].encode()), language
    )


@pytest.mark.wide(keep=4)
@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "python"])
def test_what_is_too_deep_is_named(store: Ghost, tmp_path: Path, language: str) -> None:
    """The file counts as one with errors, and what stands at its top is outlined; ten thousand levels take no minutes."""
    name = "blocks" if language == "go" else "types"
    root = project(tmp_path / "p", language, nested(language, 10_000)[name].encode())
    assert [one["file"] for one in checked(store, root, language)["parse_errors"]] == [
        f"bad{suffix(language)}"
    ]


@pytest.mark.parametrize("language", ["javascript", "typescript"])
@pytest.mark.parametrize("name", ["A.B", "B.C", "x.A"])
def test_a_class_that_extends_a_part_of_itself(
    store: Ghost, tmp_path: Path, language: str, name: str
) -> None:
    """Directly, or by way of another, is no reason to go round for ever."""
    text = f"class A extends {name} {{ m() {{ this.n(); super.m(); }} }}\nclass B extends A.C {{}}\nconst x = new A();\nx.n();\n"
    checked(store, project(tmp_path / "p", language, text.encode()), language)


def test_classes_of_members_of_classes(store: Ghost, tmp_path: Path) -> None:
    """A chain of them is followed as far as any chain."""
    text = (
        "".join(f"class C{at} extends C{at + 1}.X {{}}\n" for at in range(1000)) + "new C0().m();\n"
    )
    checked(store, project(tmp_path / "p", "javascript", text.encode()), "javascript")


@pytest.mark.parametrize("line", ["/*", "% *", "/* # x", "/\\\n*", "|*\r", "/*/*"])
@pytest.mark.parametrize("size", [900, 200_000])
def test_what_the_parser_cannot_cope_with(
    store: Ghost, tmp_path: Path, line: str, size: int
) -> None:
    """Some wrong Python takes memory by the square of its length: a little is parsed, much is left out with the reason."""
    text = f"{line}\n" * (size // (len(line) + 1))
    stats = checked(store, project(tmp_path / "p", "python", text.encode()), "python")
    assert [one["file"] for one in stats["skipped" if size > 900 else "parse_errors"]] == ["bad.py"]


def test_stray_operators_in_a_text_are_nothing(store: Ghost, tmp_path: Path) -> None:
    """C in a string of Python, with its comments, is still Python."""
    text = 'C = """\n' + "/*\n * a comment\n */\nint f(void);\n/** another */\n" * 390 + '"""\n'
    assert (
        checked(store, project(tmp_path / "p", "python", text.encode()), "python")["skipped"] == []
    )


@pytest.mark.wide
def test_a_file_that_takes_too_long_is_left_out(
    store: Ghost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And tried again the next time; the parser is not in the middle of it when it gets another file."""
    root = project(tmp_path / "p", "go", b"package a\n\n" + b"func f() { g(1, 2, 3) }\n" * 20_000)
    with monkeypatch.context() as patch:
        patch.setattr(parse, "MIN_PARSE_MICROS", 2000)
        patch.setattr(parse, "PARSE_MICROS_PER_BYTE", 0)
        stats = checked(store, root, "go")
        assert stats["skipped"] == [{"file": "bad.go", "reason": "takes too long to parse"}]
        assert stats["parse_errors"] == []
    assert checked(store, root, "go")["skipped"] == []


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["sum", "dots", "chain", "parentheses", "calls", "nots"])
def test_an_expression_of_a_megabyte(
    store: Ghost, tmp_path: Path, language: str, name: str
) -> None:
    """As a program that writes programs may write it."""
    checked(
        store,
        project(tmp_path / "p", language, nested(language, 150_000)[name].encode()[:1_900_000]),
        language,
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_file_and_an_empty_project(store: Ghost, tmp_path: Path, language: str) -> None:
    """Nothing is no error."""
    root = project(tmp_path / "p", language)
    (root / f"empty{suffix(language)}").write_bytes(b"")
    assert checked(store, root, language)["files"] == 2
    (tmp_path / "none").mkdir()
    assert store.outline.project(language=language, root=tmp_path / "none").data["matches"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_no_plain_file(store: Ghost, tmp_path: Path, language: str) -> None:
    """Folders, pipes, sockets, devices, loops and links with the right ending are left out, and nobody waits for them."""
    root, end = project(tmp_path / "p", language), suffix(language)
    (root / f"folder{end}").mkdir()
    (tmp_path / f"secret{end}").write_text(
        GOOD[language].replace("Good", "Secret"), encoding="utf-8"
    )
    (root / f"out{end}").symlink_to(tmp_path / f"secret{end}")
    (root / f"loop{end}").symlink_to(f"loop{end}")
    (root / "around").symlink_to(root)
    (root / "away").symlink_to(tmp_path)
    (root / f"device{end}").symlink_to("/dev/zero")
    os.mkfifo(root / f"pipe{end}")
    for name in ("go.mod", "tsconfig.json", "package.json", "Cargo.toml"):
        os.mkfifo(root / name)
    with socket.socket(socket.AF_UNIX) as one:
        folder = os.open(root, os.O_RDONLY)
        try:
            one.bind(
                f"/proc/self/fd/{folder}/socket{end}"
                if Path("/proc/self/fd").exists()
                else str(root / f"socket{end}")
            )
        finally:
            os.close(folder)
    stats = checked(store, root, language)
    assert stats["files"] == 1
    assert {one["file"] for one in stats["skipped"]} == {
        f"{name}{end}" for name in ("out", "loop", "device", "pipe", "socket")
    }
    with pytest.raises(NotFoundError):
        store.outline.symbol("Secret", language=language, root=root)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_file_that_may_not_be_read(store: Ghost, tmp_path: Path) -> None:
    """It is left out with the system's reason, which root never sees; once it may be read, it is."""
    root = project(tmp_path / "p", "python", b"def shut(): pass\n")
    (root / "bad.py").chmod(0)
    skipped = checked(store, root, "python")["skipped"]
    assert skipped == (
        []
        if os.geteuid() == 0
        else [{"file": "bad.py", "reason": "cannot be read: Permission denied"}]
    )
    (root / "bad.py").chmod(0o644)
    assert checked(store, root, "python")["skipped"] == []


def test_a_file_that_goes_while_it_is_read(
    store: Ghost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was listed and is no longer there is left out, and so is one that git tracks and somebody deleted."""
    root = project(tmp_path / "p", "python", b"def gone(): pass\n")
    repository(root, ("add", "-A"))
    real = os.lstat

    def late(path: Any, **more: Any) -> os.stat_result:
        found = real(path, **more)
        if str(path).endswith("bad.py"):
            os.unlink(path)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(os, "lstat", late)
        stats = checked(store, root, "python")
    assert [one["file"] for one in stats["skipped"]] in ([], ["bad.py"])
    assert checked(store, root, "python")["files"] == 1


NAMES = {
    b"a b.py": "",
    b"'; DROP TABLE memories; --.py": "",
    b"-rf.py": "",
    b"del\x7f.py": "",
    b"csi\xc2\x9b2J.py": "",
    "rtl\u202e.py".encode(): "",
    b"x" * 250 + b".py": "",
    b"new\nline.py": "new\\nline.py",
    b"esc\x1b[31m.py": "esc\\x1b[31m.py",
    b"bad\xff.py": "bad\\udcff.py",
}


@pytest.mark.parametrize("name", NAMES, ids=ascii)
@pytest.mark.parametrize("git", [False, True], ids=["folder", "repository"])
def test_names_of_files(store: Ghost, tmp_path: Path, name: bytes, git: bool) -> None:
    """A name that is text is read, whatever it means elsewhere; another is left out, and told so that it can be printed."""
    root = project(tmp_path / "p", "python")
    with open(os.path.join(os.fsencode(root), name), "wb") as file:
        file.write(b"def inside():\n    Good()\n")
    if git:
        repository(root)
    stats = checked(store, root, "python")
    assert [one["file"] for one in stats["skipped"]] == ([NAMES[name]] if NAMES[name] else [])
    assert stats["files"] == (1 if NAMES[name] else 2)


# --- git


def repository(root: Path, *commands: tuple[str, ...]) -> None:
    """Make a repository, with no settings but its own."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for words in (("init", "-q"), *commands):
        subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, env=env)


COMMIT = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")


def program(path: Path, trace: Path) -> Path:
    """Write a program that leaves a trace."""
    path.write_text(f"#!/bin/sh\ntouch {trace}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_no_setting_of_a_repository_starts_a_program(store: Ghost, tmp_path: Path) -> None:
    """Monitors, hooks, filters, pagers, aliases and helpers that a checkout brings along stay where they are."""
    root, trace = project(tmp_path / "p", "python"), tmp_path / "started"
    evil = program(tmp_path / "evil.sh", trace)
    (root / ".gitattributes").write_text("*.py filter=evil diff=evil\n", encoding="utf-8")
    repository(root, ("add", "-A"), COMMIT)
    for hook in ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"):
        program(root / ".git" / "hooks" / hook, trace)
    names = """core.fsmonitor core.pager core.editor core.sshCommand core.gitProxy core.askPass
        filter.evil.clean filter.evil.smudge filter.evil.process diff.evil.command diff.external
        pager.ls-files credential.helper gpg.program uploadpack.packObjectsHook"""
    repository(
        root,
        *(("config", name, str(evil)) for name in names.split()),
        ("config", "alias.ls-files", f"!{evil}"),
        ("config", "core.hooksPath", str(root / ".git" / "hooks")),
        ("config", "core.untrackedCache", "true"),
    )
    trace.unlink(missing_ok=True)
    (root / "good.py").write_text(GOOD["python"] + "\n", encoding="utf-8")
    assert checked(store, root, "python")["files"] == 1
    assert not trace.exists()


def test_a_repository_that_lacks_a_folder_does_not_fetch_it(store: Ghost, tmp_path: Path) -> None:
    """A partial clone with a sparse index asks its remote for a missing tree, by a program that its settings name."""
    origin, root, trace = tmp_path / "origin", tmp_path / "p", tmp_path / "started"
    project(origin, "python")
    for name in ("in", "out"):
        (origin / name).mkdir()
        (origin / name / "x.py").write_text(f"x_{name} = 1\n", encoding="utf-8")
    repository(origin, ("add", "-A"), COMMIT)
    repository(
        origin,
        ("config", "uploadpack.allowFilter", "true"),
        ("config", "uploadpack.allowAnySHA1InWant", "true"),
    )
    repository(
        tmp_path, ("clone", "-q", "--no-checkout", "--filter=tree:0", f"file://{origin}", str(root))
    )
    repository(
        root,
        ("sparse-checkout", "init", "--cone", "--sparse-index"),
        ("sparse-checkout", "set", "in"),
        ("checkout", "-q"),
    )
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-s", "--sparse"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    tree = next(line.split()[1] for line in listed.splitlines() if line.startswith("040000"))
    for pack in list((root / ".git" / "objects" / "pack").glob("*.pack")):
        moved = pack.rename(tmp_path / pack.name)
        for other in pack.parent.glob(f"{pack.stem}.*"):
            other.unlink()
        with moved.open("rb") as file:
            subprocess.run(["git", "-C", str(root), "unpack-objects", "-q"], stdin=file, check=True)
    (root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    evil = program(tmp_path / "evil.sh", trace)
    repository(
        root,
        ("config", "remote.origin.uploadpack", str(evil)),
        ("config", "protocol.file.allow", "always"),
    )
    assert checked(store, root, "python")["files"] == 2
    assert not trace.exists()


def test_a_folder_that_became_a_link(store: Ghost, tmp_path: Path) -> None:
    """What git has in its index is not read through a link that leads away."""
    root = project(tmp_path / "p", "python")
    (root / "lib").mkdir()
    (root / "lib" / "secret.py").write_text("x = 1\n", encoding="utf-8")
    repository(root, ("add", "-A"))
    shutil.move(root / "lib", tmp_path / "away")
    (tmp_path / "away" / "secret.py").write_text("def Secret(): pass\n", encoding="utf-8")
    (root / "lib").symlink_to(tmp_path / "away")
    stats = checked(store, root, "python")
    assert stats["skipped"] == [{"file": "lib/secret.py", "reason": "is a link or no plain file"}]
    with pytest.raises(NotFoundError):
        store.outline.symbol("Secret", language="python", root=root)


def test_a_repository_elsewhere(
    store: Ghost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a .git file nor a variable, as git sets them for its hooks, makes another repository's files ours."""
    other, root = (
        project(tmp_path / "other", "python", b"def Secret(): pass\n"),
        project(tmp_path / "p", "python"),
    )
    repository(other, ("add", "-A"), ("config", "core.worktree", str(other)))
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_INDEX_FILE": other / ".git" / "index",
    }.items():
        monkeypatch.setenv(name, str(value))
    assert checked(store, root, "python")["files"] == 1
    (root / ".git").write_text(f"gitdir: {other / '.git'}\n", encoding="utf-8")
    assert checked(store, root, "python")["files"] == 1
    (root / ".git").write_text("gitdir: /nowhere\n", encoding="utf-8")
    assert checked(store, root, "python")["files"] == 1


def test_a_bare_repository_a_submodule_and_no_git(
    store: Ghost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where git has no answer, the folder is walked."""
    bare = tmp_path / "bare"
    bare.mkdir()
    repository(bare, ("init", "-q", "--bare"))
    assert checked(store, project(bare, "python"), "python")["files"] == 1
    root, inner = project(tmp_path / "p", "python"), project(tmp_path / "p" / "sub.py", "python")
    repository(inner, ("add", "-A"), COMMIT)
    repository(root, ("add", "good.py", "sub.py"))
    stats = checked(store, root, "python")
    assert (stats["files"], [one["file"] for one in stats["skipped"]]) == (1, ["sub.py"])
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert [*sources(root, (".py",))[0]] == ["good.py", "sub.py/good.py"]


# --- what is asked


@pytest.mark.wide(keep=12)
@pytest.mark.parametrize(
    "symbol",
    [*".* ( [a-z]+ % \0 \ud800".split(" "), "'; DROP TABLE x; --", "x" * 100_000, "a." * 5000],
)
@pytest.mark.parametrize("language", ["python", "go", "rust", "cpp"])
def test_a_strange_symbol_is_not_found(
    store: Ghost, tmp_path: Path, language: str, symbol: str
) -> None:
    """A name is no pattern and no statement."""
    root = project(tmp_path / "p", language)
    with pytest.raises(NotFoundError, match="there is no symbol") as caught:
        store.outline.symbol(symbol, language=language, root=root)
    assert len(str(caught.value)) < 300 + len(str(root))  # it is not repeated at any length
    if symbol.isprintable():
        with pytest.raises(NotFoundError) as linking:
            store.put("agent:a", "k", "text", symbols=[symbol], language=language, root=str(root))
        assert len(str(linking.value)) < 300 + len(str(root))


@pytest.mark.parametrize(
    "file",
    [
        *"../../etc/passwd ../secret.py /etc/passwd .. . good.py/x a\0b \ud800.py ~/x.py away/secret.py".split(
            " "
        ),
        *("", "x" * 5000),
    ],
)
def test_a_strange_file_is_refused(store: Ghost, tmp_path: Path, file: str) -> None:
    """Nothing outside is read, and nothing else goes wrong."""
    root = project(tmp_path / "p", "python")
    (tmp_path / "secret.py").write_text("x = 1\n", encoding="utf-8")
    (root / "away").symlink_to(tmp_path)
    for ask in (
        lambda: store.outline.file(file, language="python", root=root),
        lambda: store.outline.symbol("Good", language="python", root=root, file=file),
    ):
        with pytest.raises((InvalidInputError, NotFoundError)):
            ask()


@pytest.mark.parametrize(
    ("field", "value", "accepted"),
    [
        *(("depth", depth, "give depth a") for depth in (-1, 10**9, True, "2", 2.0)),
        *(
            ("relations", kinds, "calls, calledBy")
            for kinds in (["calls", "Calls"], 3, [["calls"]])
        ),
        *(("max_nodes", number, "number from 1 up") for number in (0, True)),
        ("offset", -1, "number from 0 up"),
    ],
    ids=str,
)
def test_a_strange_number_or_relation_is_refused(
    store: Ghost, tmp_path: Path, field: str, value: Any, accepted: str
) -> None:
    """The error says what is accepted."""
    root = project(tmp_path / "p", "python")
    with pytest.raises(InvalidInputError) as caught:
        store.outline.project(language="python", root=root, **{field: value})
    assert accepted in caught.value.hint


@pytest.mark.parametrize("root", ["a\0b", "\ud800", "~\0", "a\nb\0"])
def test_a_root_that_is_no_path(store: Ghost, root: str) -> None:
    """Is said so, on one line."""
    for ask in (
        lambda: store.outline.project(language="python", root=root),
        lambda: store.outline.symbol("x", language="python", root=Path(root)),
        lambda: store.outline.file("x.py", language="python", root=root),
    ):
        with pytest.raises(InvalidInputError, match="root .* cannot be a path") as caught:
            ask()
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("root", ["/nowhere", "/etc/passwd", "x" * 5000])
def test_a_strange_root_is_refused(store: Ghost, root: str) -> None:
    """A root that is no folder is named."""
    with pytest.raises((NotFoundError, InvalidInputError)):
        store.outline.project(language="python", root=root)
