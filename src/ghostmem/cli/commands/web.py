"""ghost web"""

import threading
from typing import Any

import click

from ghostmem.cli.face import CreatingCommand, Face, declare

EXAMPLES = """\
  ghost web
  ghost web --read-only --no-open
  ghost web --db other.db --port 8700
"""


@declare(
    "web",
    "Look at what is remembered, and correct it, in a browser. The page is for this "
    "machine only; its address opens once.",
    EXAMPLES,
    CreatingCommand,
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="The port; 0: any that is free.",
)
@click.option("--no-open", is_flag=True, help="Print the address, and open no browser.")
@click.option("--read-only", is_flag=True, help="Let the page change nothing.")
def command(face: Face, port: int, no_open: bool, read_only: bool) -> None:
    from ghostmem.memory.embedding import catch_up
    from ghostmem.web.app import make_app
    from ghostmem.web.auth import ALWAYS
    from ghostmem.web.serve import address_of, listen, serve
    from ghostmem.web.session import Sessions

    ghost = face.ghost
    if read_only:
        ghost.store.engine.read_only = True
    sessions = Sessions(strict=True, read_only=read_only)
    app = make_app(ghost, require_tokens=ALWAYS, sessions=sessions, log=_troubles)
    listening = listen("127.0.0.1", port)
    url = f"{address_of(listening)}/?token={sessions.ticket()}"
    vectoriser = ghost.store.vectoriser
    vectoriser.defer(None if ghost.store.engine.read_only else lambda: catch_up(ghost.store))
    vectoriser.warm()  # while the page loads: its first answers are by words

    def announce() -> None:
        face.one({"url": url, "read_only": read_only}, url)
        face.note(
            f"showing {face.settings.shown}{' (read-only)' if read_only else ''}; the "
            "address opens once; Ctrl-C ends it"
        )
        if not no_open:
            threading.Thread(target=_open, args=(face, url), daemon=True).start()

    serve(app, listening, announce, ghost.store.clock)


def _open(face: Face, url: str) -> None:
    """Show the page; a browser that lives in the terminal would take it over, and is left alone."""
    import webbrowser

    try:
        found = webbrowser.get()
        shown = not _in_terminal(found) and found.open(url)
    except webbrowser.Error:
        shown = False
    if not shown:
        face.note("no browser could be opened: open the address yourself")


def _in_terminal(browser: Any) -> bool:
    import webbrowser

    return isinstance(browser, webbrowser.GenericBrowser) and not isinstance(
        browser, webbrowser.BackgroundBrowser
    )


def _troubles(line: dict[str, Any]) -> None:
    """Log what went wrong, and nothing else: a person's every click is no news on the terminal."""
    if "error" in line:
        from ghostmem.web.logs import to_stderr

        to_stderr(line)
