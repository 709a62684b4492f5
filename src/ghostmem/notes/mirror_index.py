"""The index of a mirror's topics, kept in step with their files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ghostmem.errors import InvalidInputError, NoteConflictError
from ghostmem.notes.mirror_job import Job
from ghostmem.notes.mirrors import topics
from ghostmem.notes.write import read_file, replace_file
from ghostmem.store.mirror import Item


def index_is_out_of_step(job: Job) -> bool:
    """Say whether the index lacks a topic, or tells of one what it no longer says."""
    if not job.shape.is_single:
        return False
    return topics.is_out_of_step(
        read_file(job.home / topics.INDEX_FILE).text, _listed(job, job.items).values()
    )


def list_topics(
    job: Job, items: Mapping[str, Item] | None = None, gone: Iterable[str] = ()
) -> dict[str, str]:
    """Bring the index in step with some topics, or all.

    Return what of its summaries is the mirror's own, by key.
    """
    wanted = _listed(job, job.items if items is None else items)
    names_gone = {topics.stem_of(path) for path in gone if path not in job.sight.files}
    file = read_file(job.home / topics.INDEX_FILE)
    if file.lossy:
        job.report.wait("", topics.INDEX_FILE, "is not UTF-8")
        return {}
    text, own = topics.in_step(file.text, wanted.values(), names_gone)
    if text == file.text and topics.is_out_of_step(text, wanted.values()):
        job.report.wait("", topics.INDEX_FILE, "is laid out in a way that cannot be changed safely")
    try:
        if text != file.text:
            replace_file(job.home / topics.INDEX_FILE, file.encode(text), file.digest)
    except (NoteConflictError, InvalidInputError) as error:
        job.report.wait("", topics.INDEX_FILE, error.message)
        return {}
    abouts = {key: own.get(one.name, "") for key, one in wanted.items()}
    if items is None:
        _write_abouts(job, abouts)
    return abouts


def _listed(job: Job, items: Mapping[str, Item]) -> dict[str, topics.Listed]:
    units = job.sight.units
    return {
        key: topics.listed(units[key], item.about)
        for key, item in items.items()
        if key in units and units[key].text.strip()
    }


def _write_abouts(job: Job, abouts: Mapping[str, str]) -> None:
    changed = {key: about for key, about in abouts.items() if job.items[key].about != about}
    if changed:
        with job.store.engine.write() as tx:
            for key, about in changed.items():
                tx.mirrors.put_item(job.mirror.id, job.items[key]._replace(about=about))
