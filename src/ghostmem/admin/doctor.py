"""Check the installation, the settings and the store, and name the next step."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ghostmem._version import __version__
from ghostmem.admin.check import check, repair
from ghostmem.errors import GhostError
from ghostmem.memory.embedding import embed_status
from ghostmem.model import Record, optional
from ghostmem.settings import Settings, config_path
from ghostmem.store.store import Store


@dataclass(frozen=True, eq=False, repr=False)
class Finding(Record):
    """The result of one check: ok, warning or problem, and the next step."""

    name: str
    state: str
    detail: str
    fix: str = optional("")


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Record):
    """The results of all checks."""

    ok: bool
    findings: tuple[Finding, ...]


def doctor(
    settings: Settings,
    open_store: Callable[[], Store],
    *,
    fix: bool = False,
    config_error: GhostError | None = None,
    further: Callable[[], Iterable[Finding]] = tuple,
) -> Diagnosis:
    """Check the installation, the settings and the store, then run the `further` checks.

    With `fix`, repair the indexes of the store."""
    findings = (*_checks(settings, open_store, fix, config_error), *further())
    return Diagnosis(all(f.state != "problem" for f in findings), findings)


def _checks(
    settings: Settings, open_store: Callable[[], Store], fix: bool, config_error: GhostError | None
) -> Iterator[Finding]:
    yield Finding(
        "ghost", "ok", f"{__version__} on Python {sys.version.split()[0]}, {sys.platform}"
    )
    command = shutil.which("ghost")
    yield (
        Finding("command", "ok", command)
        if command
        else Finding(
            "command",
            "warning",
            "`ghost` is not on the PATH",
            "call it by its full path, or add its folder to the PATH",
        )
    )
    path = Path(config_path())
    if config_error is not None:
        yield Finding("config", "problem", config_error.message, config_error.hint)
    else:
        yield Finding(
            "config", "ok", f"{path}" if path.exists() else f"{path} (not there: defaults)"
        )
    yield from _store(settings, open_store, fix)


def _store(settings: Settings, open_store: Callable[[], Store], fix: bool) -> Iterator[Finding]:
    if settings.has_file and not Path(settings.path).exists():
        yield Finding("store", "ok", f"{settings.path} (not there yet: the first put makes it)")
        return
    try:
        yield from _health(open_store(), fix)
    except GhostError as error:
        yield Finding("store", "problem", error.message, error.hint)


def _vectors(store: Store) -> Finding:
    status = embed_status(store)
    about = (
        f"provider {status.provider}, {status.embedded:,} of {status.chunks:,} chunks have vectors"
    )
    if status.problem:
        return Finding(
            "embeddings",
            "warning",
            f"{about}; {status.problem}",
            "choose another with GHOST_EMBED_PROVIDER",
        )
    if status.pending:
        return Finding("embeddings", "warning", about, "ghost embed backfill")
    return Finding("embeddings", "ok", about)


def _health(store: Store, fix: bool) -> Iterator[Finding]:
    engine = store.engine
    versions = ", ".join(f"{name} {version}" for name, version in engine.versions().items())
    yield Finding("store", "ok", f"{engine.location}, {engine.size():,} bytes; {versions}")
    if engine.read_only:
        yield Finding(
            "writing",
            "warning",
            f"{engine.location} is read-only here",
            "check permissions, or upgrade Ghost",
        )
    if engine.file is not None:
        mode = Path(engine.file).stat().st_mode & 0o777
        if mode & 0o077 and sys.platform != "win32":
            yield Finding(
                "privacy",
                "warning",
                f"{engine.location} has mode {mode:o}",
                f"chmod 600 {engine.location}",
            )
        free = shutil.disk_usage(Path(engine.file).parent).free
        if free < 100_000_000:
            yield Finding(
                "space",
                "warning",
                f"only {free:,} bytes are free",
                "make room before the disk is full",
            )
    yield _vectors(store)
    problems = check(store).problems
    if problems and fix:
        problems = repair(store).problems
    if problems:
        yield Finding("integrity", "problem", "; ".join(problems), "ghost repair")
    else:
        yield Finding("integrity", "ok", "rows and indexes agree")
