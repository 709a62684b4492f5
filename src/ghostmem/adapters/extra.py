"""Saying which extra brings a library that is not installed."""


def missing(adapter: str, extra: str, error: ImportError) -> ImportError:
    """Return the error of an adapter whose library cannot be imported: what is missing, and the
    command that brings it.
    """
    return ImportError(
        f"ghostmem.adapters.{adapter} cannot import {error.name or error}: run `pip "
        f"install 'ghostmem[{extra}]'`"
    )
