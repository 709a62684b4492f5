"""ghost stats"""

from ghostmem.cli.face import Face, declare
from ghostmem.cli.output import bold, plural, size


@declare("stats", "Count what the store holds.", "  ghost stats --json\n")
def command(face: Face) -> None:
    found = face.ghost.stats()
    lines = [
        f"{bold(found.db_path)}  {size(found.db_size_bytes)}",
        f"{plural(found.active_memories, 'memory')} live, "
        f"{plural(found.total_memories, 'version')} in all,"
        f" {plural(found.total_chunks, 'chunk')}, {plural(found.total_edges, 'edge')}, "
        f"{plural(found.total_files, 'file')}",
        *(f"  {info.ns}: {plural(info.count, 'memory')}" for info in found.namespaces),
    ]
    face.one(found, "\n".join(lines))
