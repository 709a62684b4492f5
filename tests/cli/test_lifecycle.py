"""ghost reflect, undo, rule and curate"""

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import GhostCli, Program

Sql = Callable[..., list[Any]]
SECRET = "The spare key lies under the third flowerpot."
CURATED = "promote, demote, boost, diminish, archive, delete, pin, unpin, lock, unlock"


@pytest.fixture
def filled(ghost_cli: "GhostCli", wind: Any) -> None:
    """Store a glance that is to go, a quiet memory that is to fade, a pinned one, and one of another namespace."""
    ghost_cli.ok("put", "-n", "a", "-k", "glance", "--tier", "sensory", "The build took long.")
    ghost_cli.ok("put", "-n", "a", "-k", "quiet", "--importance", "0.8", SECRET)
    ghost_cli.ok("put", "-n", "a", "-k", "persona", "--pinned", "You are Ada.")
    ghost_cli.ok("put", "-n", "b", "-k", "other", "--tier", "sensory", "Of another namespace.")
    wind.forward(hours=49)


# --- reflect


@pytest.mark.usefixtures("filled")
def test_reflect_says_what_it_did_and_how_to_take_it_back(ghost_cli: "GhostCli") -> None:
    """One line of counts, and the command that undoes it."""
    out = ghost_cli.ok("reflect", "-n", "a").splitlines()
    run = ghost_cli.rows("undo")[0]["id"]
    assert out == [
        "3 memories checked; 1 lost importance, 1 deleted",
        f"run {run}; `ghost undo {run}` reverts it",
    ]


@pytest.mark.usefixtures("filled")
def test_reflect_in_json_is_the_report(ghost_cli: "GhostCli") -> None:
    """One object with the specification's counters and every change."""
    row = ghost_cli.row("reflect", "-n", "a")
    counters = (
        "memories_evaluated",
        "rules_applied",
        "decayed",
        "promoted",
        "demoted",
        "archived",
        "deleted",
        "merged",
    )
    assert [row[name] for name in counters] == [3, 2, 1, 0, 0, 0, 1, 0]
    assert (row["dry_run"], row["resumed"]) == (False, False)
    assert [(change["key"], change["op"], change["rule"]) for change in row["changes"]] == [
        ("glance", "DELETE", "sys-decay-sensory"),
        ("quiet", "DECAY", "sys-decay-unaccessed"),
    ]


@pytest.mark.usefixtures("filled")
def test_a_dry_run_lists_every_change_and_makes_none(ghost_cli: "GhostCli") -> None:
    """Memory by memory with the rule's name; no run is on record, and the store keeps its bytes."""
    before = ghost_cli.ok("export")
    out = ghost_cli.ok("reflect", "-n", "a", "--dry-run").splitlines()
    assert [line.split()[0] for line in out[:2]] == ["a/glance", "a/quiet"]
    assert out[0].endswith("sys-decay-sensory")
    assert out[1] == "a/quiet  decay  importance 0.8 → 0.76  sys-decay-unaccessed"
    assert out[2:] == ["3 memories checked; would have: 1 lost importance, 1 deleted"]
    assert ghost_cli.ok("export") == before
    assert ghost_cli.rows("undo") == []


@pytest.mark.usefixtures("filled")
def test_changes_are_listed_on_request(ghost_cli: "GhostCli") -> None:
    """--changes shows after a run what --dry-run shows before it."""
    out = ghost_cli.ok("reflect", "-n", "a", "--changes").splitlines()
    assert out[1] == "a/quiet  decay  importance 0.8 → 0.76  sys-decay-unaccessed"
    assert len(out) == 4


@pytest.mark.usefixtures("filled")
def test_without_a_namespace_all_are_looked_at(ghost_cli: "GhostCli") -> None:
    """And GHOST_NS limits it, as everywhere."""
    assert {change["ns"] for change in ghost_cli.row("reflect", "--dry-run")["changes"]} == {
        "a",
        "b",
    }
    assert ghost_cli.row("reflect", "-n", "b", "--dry-run")["memories_evaluated"] == 1
    assert ghost_cli.row("reflect", "-n", "zz*", "--dry-run")["memories_evaluated"] == 0


def test_nothing_to_do_is_said(ghost_cli: "GhostCli") -> None:
    """Also in a store that is not there, which is not made by looking."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "Some text.")
    assert ghost_cli.ok("reflect").splitlines() == ["1 memory checked; nothing to do"]


def test_reflect_on_no_store_makes_none(ghost_cli: "GhostCli", store: Path) -> None:
    """An empty answer, and no file."""
    assert ghost_cli.ok("reflect", "--dry-run").startswith("0 memories checked")
    assert not store.exists()


def test_relink_is_a_flag(ghost_cli: "GhostCli", wind: Any) -> None:
    """It links by names and says so."""
    ghost_cli.ok(
        *"put -n a -k one".split(),
        "Marguerite Oyelaran repaired the gearbox of the turbine at Lindholm.",
    )
    ghost_cli.ok("put", "-n", "a", "-k", "two", "Marguerite Oyelaran sails at Lindholm in spring.")
    assert "1 link by names, topics or meaning" in ghost_cli.ok("reflect", "--relink", "-n", "a")


def test_linked_clusters_are_shown(
    ghost_cli: "GhostCli", wind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The groups of similar memories, linked now or before, in text and in JSON."""
    monkeypatch.setenv("GHOST_EMBED_PROVIDER", "static")
    for key, took in (("one", 41), ("two", 42)):
        ghost_cli.ok(
            *"put -n a -k".split(),
            key,
            f"The nightly build of the billing service passed on main in {took} seconds.",
        )
    dry = ghost_cli.row("reflect", "-n", "a", "--dry-run")
    assert dry.get("linked_clusters") == [["one", "two"]]
    assert "similar: one, two" in ghost_cli.ok("reflect", "-n", "a").splitlines()


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("--every", "soon"), "every 'soon' is not a duration"),
        (("--every", "0s"), "every '0s' is not a duration"),
        (("-n", "a*b"), "invalid namespace filter: 'a*b'"),
    ],
)
def test_reflect_refuses_what_makes_no_sense(
    ghost_cli: "GhostCli", args: tuple[str, ...], error: str
) -> None:
    """With exit code 2 and a hint."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "Some text.")
    assert ghost_cli.fails(2, "reflect", *args)[0] == error


def test_control_characters_do_not_reach_a_terminal(ghost_cli: "GhostCli", wind: Any) -> None:
    """Keys and tags in a list of changes are made harmless."""
    old = {"ns": "a", "key": "k\u202ee\u009b", "content": "Some text.", "tier": "sensory"}
    ghost_cli.ok("import", "--trust", input=json.dumps([{**old, "version": 1}]))  # an older store's
    wind.forward(hours=5)
    out = ghost_cli.ok("reflect", "--changes")
    assert "\u009b" not in out
    assert "\u202e" not in out


def test_every_takes_a_pause_of_any_length(
    ghost_cli: "GhostCli", monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is longer than the system's clock goes on is shortened."""
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr("ghostmem.cli.commands.lifecycle.time.sleep", sleep)
    ghost_cli("reflect", "--every", "999999999d")
    assert pauses == [100 * 365 * 86_400]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send on this system")
def test_every_goes_on_until_it_is_interrupted(program: "Program") -> None:
    """Two reports in, an interrupt ends it with code 130, no traceback, and both runs are on record."""
    assert (
        program("put", "-n", "a", "-k", "x", "--created-at", "2026-01-01", "Some text.").code == 0
    )
    child = program.start("--json", "reflect", "--every", "1s")
    assert child.stdout is not None
    reports = [json.loads(child.stdout.readline()) for _ in range(2)]
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert b"Traceback" not in err
    assert [report["decayed"] for report in reports] == [1, 1]
    runs = [json.loads(line) for line in program("--json", "undo").out.splitlines()]
    assert {report["run"] for report in reports} <= {run["id"] for run in runs}


# --- undo


@pytest.mark.usefixtures("filled")
def test_undo_gives_every_byte_back(ghost_cli: "GhostCli") -> None:
    """By the run's id, its beginning, or `last`."""
    before = ghost_cli.ok("export")
    for name in (lambda run: run, lambda run: run[:24].lower(), lambda _: "last"):
        run = ghost_cli.row("reflect")["run"]
        assert ghost_cli.ok("export") != before
        assert ghost_cli.ok("undo", name(run)) == f"reverted 3 changes of run {run}\n"
        assert ghost_cli.ok("export") == before


@pytest.mark.usefixtures("filled")
def test_undo_in_json(ghost_cli: "GhostCli") -> None:
    """The run, how many changes, and what was left."""
    run = ghost_cli.row("reflect")["run"]
    ghost_cli.ok("put", "-n", "a", "-k", "quiet", "Rewritten.")
    (row,) = ghost_cli("--json", "undo", run).rows
    assert (row["run"], row["undone"], row["dry_run"]) == (run, 2, False)
    assert [(change["key"], change["op"]) for change in row["left"]] == [("quiet", "DECAY")]


@pytest.mark.usefixtures("filled")
def test_what_is_left_is_named_beside_the_data(ghost_cli: "GhostCli") -> None:
    """On standard error, so that a script is not confused."""
    ghost_cli.ok("reflect")
    ghost_cli.ok("put", "-n", "a", "-k", "quiet", "Rewritten.")
    done = ghost_cli("undo", "last")
    assert (done.code, done.out.splitlines()[0][:18]) == (0, "reverted 2 changes")
    assert done.err == "left as it is, because it has changed since: a/quiet decay\n"


@pytest.mark.usefixtures("filled")
def test_a_dry_undo_changes_nothing(ghost_cli: "GhostCli") -> None:
    """It says what it would revert."""
    run = ghost_cli.row("reflect")["run"]
    after = ghost_cli.ok("export")
    assert ghost_cli.ok("undo", run, "--dry-run") == f"would revert 3 changes of run {run}\n"
    assert ghost_cli.ok("export") == after


@pytest.mark.usefixtures("filled")
def test_undo_alone_lists_the_runs(ghost_cli: "GhostCli", wind: Any) -> None:
    """Newest first, with scope, number of changes and state."""
    first = ghost_cli.row("reflect", "-n", "a")["run"]
    ghost_cli.ok("undo", first)
    wind.forward(minutes=1)
    second = ghost_cli.row("reflect")["run"]
    lines = ghost_cli.ok("undo").splitlines()
    assert [line.split()[0] for line in lines] == [second, first]
    assert lines[0].endswith("reflect everything  3 changes  done")
    assert lines[1].endswith("reflect a  2 changes  undone")
    assert [row["id"] for row in ghost_cli.rows("undo", "-l", "1")] == [second]


def test_without_runs_undo_says_so(ghost_cli: "GhostCli") -> None:
    """Beside the data; in JSON there is nothing."""
    done = ghost_cli("undo")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("no runs yet; `ghost reflect` starts one")
    assert "`ghost restore KEY`" in done.err
    assert ghost_cli.rows("undo") == []


@pytest.mark.usefixtures("filled")
def test_undo_errors(ghost_cli: "GhostCli") -> None:
    """Unknown: 3; the beginning of several: 3; undone already: 4."""
    assert ghost_cli.fails(3, "undo", "01ZZZ") == (
        "there is no run '01ZZZ'",
        "`ghost undo` lists the runs",
    )
    runs = [ghost_cli.row("reflect")["run"] for _ in range(2)]
    assert "is the beginning of 2 runs" in ghost_cli.fails(3, "undo", runs[0][:6])[0]
    ghost_cli.ok("undo", runs[1])
    assert ghost_cli.fails(4, "undo", runs[1])[0] == f"run {runs[1]} was already undone"


@pytest.mark.usefixtures("filled")
def test_no_content_is_in_the_records(ghost_cli: "GhostCli", store: Path, sql: Sql) -> None:
    """Tables runs and audit have ids and hashes; the text of a memory is in neither."""
    ghost_cli.ok("reflect")
    written = json.dumps(sql(store, "SELECT * FROM runs") + sql(store, "SELECT * FROM audit"))
    assert len(sql(store, "SELECT * FROM audit")) == 3
    for word in ("flowerpot", "build took", "another namespace"):
        assert word not in written


# --- rule


def test_rule_list_shows_the_eight_built_in_ones(ghost_cli: "GhostCli") -> None:
    """Most urgent first, each with its conditions and its action."""
    lines = ghost_cli.ok("rule", "list").splitlines()
    assert lines[:2] == [
        "sys-promote-sensory  96",
        "    tier sensory, age_gt_hours 1.0, access_gt 1 → PROMOTE (to_tier stm)",
    ]
    rows = ghost_cli.rows("rule", "list")
    assert [row["id"] for row in rows] == [
        "sys-promote-sensory",
        "sys-decay-sensory",
        "sys-prune-low-utility",
        "sys-demote-stale-ltm",
        "sys-promote-to-ltm",
        "sys-merge-similar",
        "sys-dedup-all",
        "sys-decay-unaccessed",
    ]


def test_a_rule_is_set_shown_used_and_deleted(ghost_cli: "GhostCli", wind: Any) -> None:
    """The whole life of a rule of one's own."""
    ghost_cli.ok("put", "-n", "a", "-k", "first", "Some text.")
    made = ghost_cli.ok(
        "rule",
        "set",
        "--name",
        "old chatter",
        *"--id chatter --cond-tag chat --cond-age-gt 24 --action archive".split(),
    )
    assert (
        made == "set chatter  old chatter  50\n    age_gt_hours 24.0, tag_includes chat → ARCHIVE\n"
    )
    assert ghost_cli.ok("rule", "get", "chatter") == made.removeprefix("set ")
    ghost_cli.ok("put", "-n", "a", "-k", "x", "-t", "chat", "Some text.")
    wind.forward(hours=25)
    assert ghost_cli.row("reflect")["archived"] == 1
    assert ghost_cli.ok("rule", "delete", "chatter") == "deleted chatter\n"
    ghost_cli.fails(3, "rule", "get", "chatter")


@pytest.mark.parametrize(
    "args",
    [
        ("set", "--name", "r", "--id", "mine", "--cond-tag", "x", "--action", "PIN"),
        ("delete", "sys-dedup-all"),
        ("reset", "sys-dedup-all"),
    ],
)
def test_a_change_of_the_rules_is_kept_in_a_home_without_a_store(
    ghost_cli: "GhostCli", store: Path, args: tuple[str, ...]
) -> None:
    """What a command says it did must be there for the next one."""
    ghost_cli.ok("rule", *args)
    assert store.exists()


def test_rules_of_a_namespace(ghost_cli: "GhostCli") -> None:
    """-n lists those that count there."""
    ghost_cli.ok("put", "-n", "a", "-k", "first", "Some text.")
    for ns in ("a", "b"):
        ghost_cli.ok(
            "rule",
            "set",
            "--name",
            ns,
            "--id",
            f"for-{ns}",
            "-n",
            ns,
            *"--cond-tag x --action PIN".split(),
        )
    assert [
        row["id"]
        for row in ghost_cli.rows("rule", "list", "-n", "a")
        if row["created_by"] == "user"
    ] == ["for-a"]


def test_a_built_in_rule_is_switched_off_and_reset(ghost_cli: "GhostCli") -> None:
    """delete takes it out of the list, reset brings it back as it was."""
    ghost_cli.ok("put", "-n", "a", "-k", "first", "Some text.")
    before = ghost_cli.ok("rule", "list")
    ghost_cli.ok("rule", "delete", "sys-dedup-all")
    assert "sys-dedup-all" not in ghost_cli.ok("rule", "list")
    assert ghost_cli.row("rule", "reset", "sys-dedup-all")["created_by"] == "system"
    assert ghost_cli.ok("rule", "list") == before


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("--name", "r", "--cond-tag", "x", "--action", "VANISH"), "invalid action op 'VANISH'"),
        (("--name", " ", "--cond-tag", "x", "--action", "PIN"), "rule name is required"),
        (
            ("--name", "r", "--action", "PIN"),
            "a rule without a condition would apply to everything",
        ),
        (("--name", "r", "--cond-tier", "archived", "--action", "PIN"), "invalid tier 'archived'"),
        (
            (
                *("--name", "r", "--cond-tag", "x", "--action", "PROMOTE"),
                *("--action-params", '{"to_tier": "top"}'),
            ),
            "PROMOTE cannot move to the tier 'top'",
        ),
        (
            ("--name", "r", "--cond-tag", "x", "--action", "DEDUP"),
            "DEDUP needs a similarity",
        ),
    ],
)
def test_rule_set_refuses_what_makes_no_sense(
    ghost_cli: "GhostCli", args: tuple[str, ...], error: str
) -> None:
    """With exit code 2, one error and one hint."""
    assert ghost_cli.fails(2, "rule", "set", *args)[0] == error


@pytest.mark.parametrize("params", ["{", "[1]", "7", '"x"'])
def test_parameters_must_be_an_object(ghost_cli: "GhostCli", params: str) -> None:
    """Broken JSON and other values are named."""
    error, hint = ghost_cli.fails(
        2,
        *"rule set --name r --cond-tag x --action DECAY --action-params".split(),
        params,
    )
    assert "--action-params" in error
    assert hint


def test_parameters_that_are_not_json_are_named(ghost_cli: "GhostCli") -> None:
    """The message names the parameters, not the meta of a memory."""
    rule = ("rule", "set", "--name", "x", "--cond-tier", "stm", "--action", "DECAY")
    error, _ = ghost_cli.fails(2, *rule, "--action-params", '{"factor": NaN}')
    assert error.startswith("action_params cannot be written as JSON")


@pytest.mark.parametrize("args", [("get", "nope"), ("delete", "nope"), ("reset", "nope")])
def test_a_rule_that_is_not_there_is_not_found(
    ghost_cli: "GhostCli", args: tuple[str, ...]
) -> None:
    """Exit code 3."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "Some text.")
    assert "nope" in ghost_cli.fails(3, "rule", *args)[0]


# --- curate


@pytest.mark.parametrize(
    ("op", "text", "json_"),
    [
        ("promote", "stm → ltm", {"old_tier": "stm", "new_tier": "ltm"}),
        ("demote", "stm → dormant", {"old_tier": "stm", "new_tier": "dormant"}),
        ("archive", "stm → dormant", {"old_tier": "stm", "new_tier": "dormant"}),
        ("boost", "importance 0.5 → 0.7", {"old_importance": 0.5, "new_importance": 0.7}),
        ("diminish", "importance 0.5 → 0.3", {"old_importance": 0.5, "new_importance": 0.3}),
        ("pin", "pinned", {"old_pinned": False, "new_pinned": True}),
        ("unpin", "no longer pinned", {"old_pinned": False, "new_pinned": False}),
        ("lock", "locked", {"locked": True}),
        ("unlock", "no longer locked", {"locked": False}),
        ("delete", "deleted; `ghost restore` brings it back", {"deleted": True}),
    ],
)
def test_curate_says_what_it_did(
    ghost_cli: "GhostCli", op: str, text: str, json_: dict[str, Any]
) -> None:
    """In text and in JSON, with the key as an argument or an option."""
    for key in ("x", "y"):
        ghost_cli.ok("put", "-n", "a", "-k", key, f"The text of {key}.")
    assert ghost_cli.ok("curate", "-n", "a", "x", "--op", op) == f"a/x  {text}\n"
    assert ghost_cli.row("curate", "-n", "a", "-k", "y", "--op", op) == {
        "ns": "a",
        "key": "y",
        "op": op,
        **json_,
    }


def test_curate_errors(ghost_cli: "GhostCli") -> None:
    """Unknown step 2, no such memory 3, the end of the scale and a lock 4."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "--tier", "ltm", "Some text.")
    assert ghost_cli.fails(2, "curate", "-n", "a", "x", "--op", "nope") == (
        "invalid op 'nope'",
        f"must be one of: {CURATED}",
    )
    assert ghost_cli.fails(3, "curate", "-n", "a", "y", "--op", "pin")[0] == "memory not found: a/y"
    assert ghost_cli.fails(4, "curate", "-n", "a", "x", "--op", "promote")[0] == (
        'cannot promote from tier "ltm" (already at highest)'
    )
    ghost_cli.ok("curate", "-n", "a", "x", "--op", "lock")
    assert ghost_cli.fails(4, "curate", "-n", "a", "x", "--op", "demote") == (
        "a/x is locked",
        "pass unlock=True (--unlock) to change it anyway, or unlock it first with "
        "`ghost curate KEY unlock`",
    )
    assert (
        ghost_cli.ok("curate", "-n", "a", "x", "--op", "demote", "--unlock") == "a/x  ltm → stm\n"
    )


def test_curate_takes_the_op_as_an_argument(ghost_cli: "GhostCli") -> None:
    """Behind the key, or alone when the key is an option; two or none are an error."""
    ghost_cli.ok("put", "-n", "a", "-k", "x", "Some text.")
    assert ghost_cli.ok("curate", "-n", "a", "x", "pin") == "a/x  pinned\n"
    assert ghost_cli.ok("curate", "-n", "a", "-k", "x", "unpin") == "a/x  no longer pinned\n"
    error, _ = ghost_cli.fails(2, "curate", "-n", "a", "x", "pin", "--op", "lock")
    assert error == "two operations were given: 'lock' and 'pin'"
    error, hint = ghost_cli.fails(2, "curate", "-n", "a", "x")
    assert (error, CURATED in hint) == ("an operation is required", True)


def test_deleting_a_built_in_rule_says_how_to_restore_it(ghost_cli: "GhostCli") -> None:
    """It is disabled, not deleted."""
    assert ghost_cli.ok("rule", "delete", "sys-dedup-all") == (
        "disabled sys-dedup-all, a built-in rule; `ghost rule reset sys-dedup-all` restores it\n"
    )
