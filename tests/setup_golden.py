"""Make the golden files of `ghost setup` anew: `python tests/setup_golden.py`, then read the difference.

Each folder in tests/setup/golden is one file of one client; in those that end in `-allow` it has the permission too. `CASE.before.EXT` is what somebody
has, `CASE.after.EXT` what it is with Ghost in it, and `CASE.error.txt` why it is refused. `fresh` is a file that is not there.
"""

import tempfile
from pathlib import Path

from ghostmem.errors import GhostError
from ghostmem.setup.clients import CLIENTS
from ghostmem.setup.entry import Launch
from ghostmem.setup.formats import FORMATS
from ghostmem.setup.install import install
from ghostmem.setup.parts import SetupFile

HERE = Path(__file__).parent / "setup" / "golden"
HOW = Launch(("/opt/ghost/bin/ghost",), tools=("ghost_put", "ghost_search"))
CASES = ("fresh", "rich", "commented", "empty", "broken")
BOTH = {  # hooks are in the same file as the server
    name for name, client in CLIENTS.items() if client.hooks and client.hooks.user == client.user
}


def kinds() -> list[str]:
    """Return the folders: a client's file with the server, and where it is another the one with the hooks."""
    return [
        *CLIENTS,
        *(f"{name}-hooks" for name, client in CLIENTS.items() if client.hooks and name not in BOTH),
        *(f"{name}-allow" for name, client in CLIENTS.items() if client.permission),
    ]


def cases() -> list[tuple[str, str]]:
    """Return every folder with its cases; `fresh` needs no file."""
    return [
        (kind, case)
        for kind in kinds()
        for case in CASES
        if case == "fresh" or before(kind, case) is not None
    ]


def suffix(kind: str) -> str:
    """Return how the files of a folder end."""
    form = target(kind, Path()).format
    return {"jsonc": "json", "yaml-list": "yaml"}.get(form, form)


def target(kind: str, path: Path) -> SetupFile:
    """Return one file of a client, at a path of its own."""
    client = CLIENTS[kind.removesuffix("-hooks").removesuffix("-allow")]
    if kind.endswith("-hooks"):
        assert client.hooks is not None
        return SetupFile(client, "user", path, client.hooks.format, hooks=True)
    if kind.endswith("-allow"):
        assert client.permission is not None
        form = client.permission.format or client.format
        return SetupFile(client, "user", path, form, server=not client.permission.user, allow=True)
    return SetupFile(client, "user", path, client.format, server=True, hooks=kind in BOTH)


def before(kind: str, case: str) -> bytes | None:
    """Return what a case starts from."""
    file = HERE / kind / f"{case}.before.{suffix(kind)}"
    return file.read_bytes() if file.exists() else None


def expected(kind: str, case: str) -> tuple[bytes | None, str]:
    """Return what a case ends in: bytes, or the error."""
    file, error = HERE / kind / f"{case}.after.{suffix(kind)}", HERE / kind / f"{case}.error.txt"
    return (None, error.read_text(encoding="utf-8")) if error.exists() else (file.read_bytes(), "")


def main() -> None:
    """Write every `after` and every `error`."""
    for kind, case in cases():
        (HERE / kind).mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"file.{suffix(kind)}"
            raw = before(kind, case)
            if raw is not None:
                path.write_bytes(raw)
            after, error = (
                HERE / kind / f"{case}.after.{suffix(kind)}",
                HERE / kind / f"{case}.error.txt",
            )
            after.unlink(missing_ok=True)
            error.unlink(missing_ok=True)
            try:
                made = install([target(kind, path)], HOW, dry_run=True)[0].after
                assert made is not None
                FORMATS[target(kind, path).format].load(made.decode())
                after.write_bytes(made)
            except GhostError as refused:
                error.write_text(
                    f"{refused.message.replace(folder, '')}\n{refused.hint}\n", encoding="utf-8"
                )


if __name__ == "__main__":
    main()
