"""Refuse to write through a symbolic link that leads out of a project.

A cloned repository may contain links to anywhere.
"""

import os
from pathlib import Path

from ghostmem.errors import InvalidInputError


def check_inside(path: Path, folder: Path) -> None:
    """Refuse a file of a project whose real path is outside the project.

    Args:
        path: the file to be changed.
        folder: a folder of the project. The project is the Git repository around it, or the
            folder itself without one.
    """
    real, start = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    folders = (start, *start.parents)
    root = next((parent for parent in folders if (parent / ".git").exists()), start)
    if not real.is_relative_to(root):
        hint = "remove the link, or use the file it points to; nothing was changed"
        raise InvalidInputError(
            f"{path} is a link to {real}, which is outside the project {root}", hint
        )
