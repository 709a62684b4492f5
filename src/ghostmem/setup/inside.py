"""Refuse to write through a symbolic link that leads out of a project: a cloned repository may hold
links to anywhere.
"""

import os
from pathlib import Path

from ghostmem.errors import InvalidInputError


def check_inside(path: Path, folder: Path) -> None:
    """Refuse a file of a project whose real place is outside the project.

    Args:
        path: the file that is about to be changed.
        folder: a folder of the project; the project is its repository, or the folder itself where
            there is none.
    """
    root, real = _project(folder), Path(os.path.realpath(path))
    if not real.is_relative_to(root):
        hint = "remove the link, or name the file that it leads to; nothing was changed"
        raise InvalidInputError(
            f"{path} is a link to {real}, which is outside the project {root}", hint
        )


def _project(folder: Path) -> Path:
    real = Path(os.path.realpath(folder))
    return next((place for place in (real, *real.parents) if (place / ".git").exists()), real)
