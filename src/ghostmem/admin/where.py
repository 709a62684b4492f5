"""Tell which namespace and which store commands use here, and why."""

import os
from typing import Any

from ghostmem.frozen import frozen
from ghostmem.model import Record
from ghostmem.notes.project import find_project
from ghostmem.settings import load, resolve

REASONS = {"argument": "--db", "default": "the default"}


@frozen
class DefaultLocation(Record):
    """The default namespace and the store, each with what decided it."""

    ns: str
    ns_reason: str
    db: str
    db_reason: str


def where(use_file: bool = True, **given: Any) -> DefaultLocation:
    """Return the namespace and the store of commands that name none.

    Args:
        use_file: Whether to read the configuration file.
        given: Settings given as options; None does not count.
    """
    settings = load(use_file=use_file, **given)
    sources = {name: source for name, (_, source) in resolve(use_file=use_file, **given).items()}
    db_reason = REASONS.get(sources["db"], sources["db"])
    if settings.has_file and not os.path.exists(settings.path):
        db_reason += "; it does not exist yet, the first put creates it"
    ns, ns_reason = (settings.ns, sources["ns"]) if settings.ns else find_project()
    return DefaultLocation(ns, ns_reason, settings.shown, db_reason)
