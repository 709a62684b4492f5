"""The error about an unknown command: it suggests commands of the same meaning or spelling."""

from collections.abc import Iterable
from difflib import get_close_matches

from ghostmem.errors import InvalidInputError

MAX_SUGGESTIONS = 3
# each line lists words of one meaning; of these, a group suggests the ones that are its commands
SYNONYMS = tuple(
    frozenset(line.split())
    for line in """\
rm remove delete del erase drop destroy unset revoke
put add create new insert save store remember write set update edit alias
get show fetch read cat view print display open
search find query lookup
context recall ask
list ls dir all
history versions log revisions
restore undelete recover
undo rollback revert
curate archive pin unpin lock unlock promote demote boost
ns namespace namespaces
tags tag
notes note
rule rules
web ui viewer dashboard browse
config settings options
setup install init
export dump
import load
backup copy
migrate move
serve server
doctor diagnose
check validate
stats info count
where status pwd
""".splitlines()
)


def unknown_command(word: str, commands: Iterable[str], path: str) -> InvalidInputError:
    """Return the error for a word that is no command of a group.

    A word with a known meaning is never corrected to a command of similar spelling, which could
    do something else.

    Args:
        word: The word that was given.
        commands: The commands of the group.
        path: The words that call the group, such as `ghost ns`.
    """
    names = list(commands)
    meanings = [line for line in SYNONYMS if word.lower() in line]
    if meanings:
        suggested = [name for name in names if any(name in line for line in meanings)]
    else:
        suggested = get_close_matches(word, names, n=MAX_SUGGESTIONS)
    hint = (
        f"did you mean {' or '.join(suggested[:MAX_SUGGESTIONS])}?"
        if suggested
        else f"`{path} --help` lists the commands"
    )
    return InvalidInputError(f"there is no command {word!r}", hint)
