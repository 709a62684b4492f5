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
    root, real = _project(folder), Path(os.path.realpath(path))
    if not real.is_relative_to(root):
        hint = "remove the link, or use the file it points to; nothing was changed"
        raise InvalidInputError(
            f"{path} is a link to {real}, which is outside the project {root}", hint
        )


def _project(folder: Path) -> Path:
    real = Path(os.path.realpath(folder))
    return next((parent for parent in (real, *real.parents) if (parent / ".git").exists()), real)
