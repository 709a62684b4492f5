"""ghost check"""

from ghostmem.cli.face import Face, declare

HELP = """Check the store for damage; exit 5 when there is some.

Reads every page, reference and index, and compares every content with its checksum. This cannot
find a changed byte in a field that has no checksum and still holds a valid value (tags, meta,
times, counters, vectors, other wordings, quarantined texts), nor a content that was changed
together with its checksum."""


@declare("check", HELP, "  ghost check\n")
def command(face: Face) -> int:
    found = face.ghost.check()
    face.one(found, "clean" if found.ok else "\n".join(found.problems))
    if not found.ok:
        face.note("run `ghost repair` to rebuild the indexes from the rows")
    return 0 if found.ok else 5
