"""ghost check"""

from ghostmem.cli.face import Face, declare


@declare("check", "Look for anything that is not whole; exit 5 when there is something.", "  ghost check\n")
def command(face: Face) -> int:
    found = face.ghost.check()
    face.one(found, "clean" if found.ok else "\n".join(found.problems))
    if not found.ok:
        face.note("run `ghost repair` to rebuild the indexes from the rows")
    return 0 if found.ok else 5
