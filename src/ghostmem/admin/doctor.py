"""Check the installation, the settings and the store, and name the next step."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ghostmem._version import __version__
from ghostmem.admin.check import check, repair
from ghostmem.admin.where import where
from ghostmem.errors import GhostError
from ghostmem.frozen import frozen
from ghostmem.memory.embedding import embed_status
from ghostmem.model import Record, optional
from ghostmem.settings import Settings, config_path
from ghostmem.store import Store


@frozen
class DoctorFinding(Record):
    """The result of one check: ok, warning or problem, and the next step."""

    name: str
    state: str
    detail: str
    fix: str = optional("")


@frozen
class Diagnosis(Record):
    """The results of all checks."""

    ok: bool
    findings: tuple[DoctorFinding, ...]


def doctor(
    settings: Settings,
    open_store: Callable[[], Store],
    *,
    fix: bool = False,
    config_error: GhostError | None = None,
    further: Callable[[], Iterable[DoctorFinding]] = tuple,
) -> Diagnosis:
    """Check the installation, the settings and the store, then run the `further` checks.

    With `fix`, repair the indexes of the store."""
    findings = (*_checks(settings, open_store, fix, config_error), *further())
    return Diagnosis(all(f.state != "problem" for f in findings), findings)


def _checks(
    settings: Settings, open_store: Callable[[], Store], fix: bool, config_error: GhostError | None
) -> Iterator[DoctorFinding]:
    yield DoctorFinding(
        "ghost", "ok", f"{__version__} on Python {sys.version.split()[0]}, {sys.platform}"
    )
    missing = (
        "warning",
        "`ghost` is not on the PATH",
        "call it by its full path, or add its folder to the PATH",
    )
    command = shutil.which("ghost")
    yield DoctorFinding("command", *(("ok", command) if command else missing))
    path = Path(config_path())
    yield (
        DoctorFinding("config", "problem", config_error.message, config_error.hint)
        if config_error is not None
        else DoctorFinding(
            "config", "ok", f"{path}" if path.exists() else f"{path} (not there: defaults)"
        )
    )
    here = where(use_file=config_error is None)
    yield DoctorFinding("namespace", "ok", f"{here.ns} ({here.ns_reason})")
    if settings.has_file and not Path(settings.path).exists():
        yield DoctorFinding(
            "store", "ok", f"{settings.path} (it does not exist yet; the first put creates it)"
        )
        return
    try:
        yield from _health(open_store(), fix)
    except GhostError as error:
        yield DoctorFinding("store", "problem", error.message, error.hint)


def _vectors(store: Store) -> DoctorFinding:
    status = embed_status(store)
    model = f", model {status.model}" if status.model else ""
    about = (
        f"provider {status.provider}{model}, "
        f"{status.embedded:,} of {status.chunks:,} chunks have vectors"
    )
    if status.next_model:
        about += f"; `ghost embed switch` changes the model to {status.next_model}"
    fix = "ghost embed backfill" if status.pending else ""
    if status.problem:
        about, fix = f"{about}; {status.problem}", "choose another with GHOST_EMBED_PROVIDER"
    return DoctorFinding("embeddings", "warning" if fix else "ok", about, fix)


def _health(store: Store, fix: bool) -> Iterator[DoctorFinding]:
    engine = store.engine
    versions = ", ".join(f"{name} {version}" for name, version in engine.versions().items())
    yield DoctorFinding("store", "ok", f"{engine.location}, {engine.size():,} bytes; {versions}")
    if engine.read_only:
        yield DoctorFinding(
            "writing",
            "warning",
            f"{engine.location} is read-only here",
            "check permissions, or upgrade Ghost",
        )
    if engine.file is not None:
        mode = Path(engine.file).stat().st_mode & 0o777
        if mode & 0o077 and sys.platform != "win32":
            yield DoctorFinding(
                "privacy",
                "warning",
                f"{engine.location} has mode {mode:o}",
                f"chmod 600 {engine.location}",
            )
        free = shutil.disk_usage(Path(engine.file).parent).free
        if free < 100_000_000:
            yield DoctorFinding(
                "space",
                "warning",
                f"only {free:,} bytes are free",
                "make room before the disk is full",
            )
    yield _vectors(store)
    problems = check(store).problems
    if problems and fix:
        problems = repair(store).problems
    yield (
        DoctorFinding("integrity", "problem", "; ".join(problems), "ghost repair")
        if problems
        else DoctorFinding("integrity", "ok", "rows and indexes agree")
    )
