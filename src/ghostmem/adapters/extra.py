"""Name the extra that installs a missing library."""


def missing(adapter: str, extra: str, error: ImportError) -> ImportError:
    """Return the error for a library that cannot be imported, with the install command."""
    return ImportError(
        f"ghostmem.adapters.{adapter} cannot import {error.name or error}: run `pip "
        f"install 'ghostmem[{extra}]'`"
    )
