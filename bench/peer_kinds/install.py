"""Install peers, each into its own environment, and report the installed packages."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.child import ROOT
from bench.peer_kinds.kinds import Kind

PATIENCE = 1_800  # seconds that an installation may take
TOOLS = {"pip", "setuptools", "wheel"}  # part of every environment, not of a peer
DATA = ROOT / "src" / "ghostmem" / "embed" / "data"


class InstallError(RuntimeError):
    """A peer that could not be installed."""


def place(work: Path, kind: Kind) -> Path:
    """Return the folder of a peer's environment."""
    return work / kind.home


def bin_folder(work: Path, kind: Kind) -> Path:
    """Return where a peer's commands are."""
    if kind.client == "npm":
        return place(work, kind) / "node_modules" / ".bin"
    return place(work, kind) / "venv" / ("Scripts" if os.name == "nt" else "bin")


def install(work: Path, kind: Kind, fresh: bool = False) -> dict[str, Any]:
    """Install a peer if needed; return its version, size in MB and number of packages."""
    folder = place(work, kind)
    receipt = folder / "installed.json"
    wanted = list(kind.packages) if "." not in kind.packages else [_fingerprint()]
    if receipt.exists() and not fresh:
        known: dict[str, Any] = json.loads(receipt.read_text())
        if known["wanted"] == wanted:
            return known
    folder.mkdir(parents=True, exist_ok=True)
    found = _npm(folder, kind) if kind.client == "npm" else _pip(folder, kind)
    receipt.write_text(json.dumps({"wanted": wanted, **found}))
    return {"wanted": wanted, **found}


def _pip(folder: Path, kind: Kind) -> dict[str, Any]:
    venv, python = (
        folder / "venv",
        folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python",
    )
    shutil.rmtree(venv, ignore_errors=True)
    _run([interpreter(kind.python, kind.extensions), "-m", "venv", str(venv)])
    before = _size(venv)
    note = ""
    packages = [str(ROOT) if name == "." else name for name in kind.packages]
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    try:
        _run([*pip, "install", "--quiet", *packages])
    except InstallError as error:
        if not kind.instead:
            raise
        note = f"The newest cannot be installed ({error}), so {' '.join(kind.instead)}"
        _run([*pip, "install", "--quiet", *kind.instead])
    listed = json.loads(_run([*pip, "list", "--format", "json"]))
    packages_there = {row["name"].lower().replace("_", "-"): row["version"] for row in listed}
    version = packages_there.get(
        _plain(kind.packages[0]) if "." not in kind.packages else "ghostmem", "?"
    )
    return {
        "version": version,
        "mb": round((_size(venv) - before) / 1e6, 1),
        "packages": len(set(packages_there) - TOOLS),
        **({"note": note} if note else {}),
    }


def _npm(folder: Path, kind: Kind) -> dict[str, Any]:
    npm = shutil.which("npm")
    if npm is None:
        raise InstallError("npm is not installed")
    (folder / "package.json").write_text('{"private": true}')
    _run([npm, "install", "--prefix", str(folder), "--no-fund", "--no-audit", *kind.packages])
    modules = folder / "node_modules"
    listed = json.loads((modules / kind.packages[0] / "package.json").read_text())
    count = len(json.loads((modules / ".package-lock.json").read_text())["packages"])
    return {"version": listed["version"], "mb": round(_size(modules) / 1e6, 1), "packages": count}


def interpreter(least: str = "", extensions: bool = False) -> str:
    """Return a Python of at least this version: this one, one on the path, or one of pyenv."""
    first = sys.version_info.minor if not least else int(least.split(".")[1])
    check = "import sys, venv, ensurepip, sqlite3; sys.exit(sys.version_info < (3, {}) or {})"
    wants = check.format(
        first if least else 11,
        "not hasattr(sqlite3.Connection, 'enable_load_extension')" if extensions else "0",
    )
    found: list[str | None] = [getattr(sys, "_base_executable", None), sys.executable]
    for minor in range(first, first + 4):
        pyenv = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"))
        found += [shutil.which(f"python3.{minor}"), f"/usr/bin/python3.{minor}", *map(str, pyenv)]
    for path in filter(None, found):
        try:
            if (
                subprocess.run([path, "-c", wants], capture_output=True, check=False).returncode
                == 0
            ):
                return path
        except OSError:
            continue
    loading = ", whose sqlite3 loads extensions," if extensions else ""
    raise InstallError(f"it needs Python {least or '3.11'} or newer{loading} and none was found")


def lay_model(work: Path) -> Path:
    """Make the model that some peers would download, once, and return its folder."""
    made = work / "models" / "minilm"
    if not (made / "onnx" / "model.onnx").exists():
        tools = Kind("tools", "", "tools", ("onnx",), "")
        install(work, tools)
        files = [
            str(DATA / name) for name in ("minilm-l6-v2-int8.onnx", "tokenizer.json", "vocab.txt")
        ]
        script = str(ROOT / "bench" / "peer_kinds" / "place_model.py")
        _run([str(bin_folder(work, tools) / "python"), script, *files, str(made / "onnx")])
    return made


def _fingerprint() -> str:
    """Return a digest of this checkout's source, so that a changed one is reinstalled."""
    digest = hashlib.sha256()
    for path in sorted([*(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml"]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _plain(requirement: str) -> str:
    return re.split(r"[\[<>=!~ ]", requirement)[0].lower()


def _size(folder: Path) -> int:
    return sum(
        path.lstat().st_size
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    )


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=Path.home()
        )
    except subprocess.TimeoutExpired:
        raise InstallError(f"{command[0]} took more than {PATIENCE} s") from None
    if done.returncode:
        said = [line for line in (done.stderr or done.stdout).strip().splitlines() if line.strip()]
        raise InstallError(said[-1][:200] if said else f"{command[0]} ended with {done.returncode}")
    return done.stdout
