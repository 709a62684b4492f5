"""ghost repair"""

from ghostmem.cli.face import Face, declare
from ghostmem.cli.output import plural


@declare(
    "repair", "Rebuild every index from the rows; memories are not touched.", "  ghost repair\n"
)
def command(face: Face) -> int:
    done = face.ghost.repair(face.progress("repaired"))
    counts = done.done
    indexed = f"{plural(counts['memories'], 'memory')} ({plural(counts['chunks'], 'chunk')})"
    text = f"indexed {indexed}, removed {plural(counts['orphans'], 'orphan')}"
    face.one(done, text if done.ok else "\n".join([text, *done.problems]))
    return 0 if done.ok else 5
