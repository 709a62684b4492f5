"""Faults of PostgreSQL: killed servers, cut connections, killed clients, no free connection.

An acknowledged put is stored exactly once; a put that was in progress is stored once or not at all;
nothing is stored partly."""

import itertools
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from bench.child import READY, Child, hear, say
from bench.postgres import NAME, cut_one, own_server
from bench.proof import NS, SETTINGS, content, key, open_store, unclean, unwritable
from bench.proxy import Proxy
from bench.scenario import Findings, Plan
from bench.writers import SHARED_KEYS, _chain_faults, _unkept
from ghostmem import Ghost, GhostError, Memory, StoreBusyError
from ghostmem.errors import LostConnectionError

SECRET = "never-to-be-shown"  # the password of a URL whose server does not ask for one
MESSAGES = 100  # more than a put can have
LONGEST = 800.0  # seconds that all writers may take, each of whose puts waits for seven others
HASTE = 2.0  # seconds that a hasty client waits for a server
HANGING = 30.0  # seconds after which a call counts as hung
CUTS = 0.3  # seconds between two cut connections, on the average


def put_own(path: str, writer: int, puts: int) -> None:
    """Store memories under keys that no other process uses, in a child process.

    Print the result of each put.
    """
    _put_all(path, puts, lambda ghost, number: _own(ghost, writer, number))


def put_shared(path: str, writer: int, puts: int) -> None:
    """Store versions of keys that everybody writes, in a child process."""
    choose = random.Random(writer)

    def one(ghost: Ghost, number: int) -> str:
        name = f"shared-{choose.randrange(SHARED_KEYS):02d}"
        try:
            memory = ghost.put(NS, name, content(writer, number))
        except LostConnectionError as error:
            if error.stored is not None:
                raise
            return f"unknown {name} {writer} {number}"
        return f"{memory.outcome} {name} {memory.version} {writer} {number}"

    _put_all(path, puts, one)


def _own(ghost: Ghost, writer: int, number: int) -> str:
    try:
        ghost.put(NS, key(writer, number), content(writer, number))
    except LostConnectionError as error:
        if error.stored is not None:
            raise
        return f"unknown {number}"
    return f"put {number}"


def _put_all(path: str, puts: int, one: Callable[[Ghost, int], str]) -> None:
    with Ghost.open(path, settings=replace(SETTINGS, pg_connections=2, busy_timeout=60.0)) as ghost:
        say(READY)
        hear()
        for number in range(puts):
            try:
                say(one(ghost, number))
            except GhostError as error:
                say(f"error {type(error).__name__}: {error}")


def own_keys(plan: Plan) -> Findings:
    """Have every process write its own keys while the server dies and connections break."""

    def judge(ghost: Ghost, said: list[list[list[str]]], findings: Findings) -> None:
        lines = [(writer, words) for writer, written in enumerate(said) for words in written]
        kept = {
            key(writer, int(words[1])): (writer, int(words[1]))
            for writer, words in lines
            if words[0] == "put"
        }
        open_ = {
            key(writer, int(words[1])): (writer, int(words[1]))
            for writer, words in lines
            if words[0] == "unknown"
        }
        there = {memory.key: memory for memory in ghost.list(NS, limit=1_000_000)}
        findings.problems += [
            f"{name} was acknowledged and is gone" for name in kept if name not in there
        ]
        findings.problems += [
            f"{name} is there and nobody put it"
            for name in there
            if name not in kept and name not in open_
        ]
        for name, memory in there.items():
            if memory.content != content(*(kept | open_).get(name, (0, 0))) or memory.version != 1:
                findings.problems.append(
                    f"{name} is at version {memory.version}, or is not what was put"
                )
        findings.facts |= {
            "acknowledged": len(kept),
            "unknown": len(open_),
            "unknown_stored": len(set(open_) & set(there)),
        }
        findings.expect(
            len(kept) + len(open_) == plan.processes * plan.puts,
            "some puts were neither acknowledged nor unknown",
        )

    return _stormy(plan, put_own, judge)


def shared_keys(plan: Plan) -> Findings:
    """Have every process write the same keys while the server dies and connections break."""

    def judge(ghost: Ghost, said: list[list[list[str]]], findings: Findings) -> None:
        lines = [words for written in said for words in written]
        told = [words for words in lines if words[0] in ("created", "updated", "reinforced")]
        unknown = [words for words in lines if words[0] == "unknown"]
        versions = 0
        for name in sorted({words[1] for words in told}):
            chain = ghost.history(NS, name)
            versions += len(chain)
            findings.problems += _chain_faults(name, chain)
            findings.problems += _unkept(name, chain, [words for words in told if words[1] == name])
            findings.problems += _twice(name, chain)
        outcomes = Counter(words[0] for words in told)
        made = outcomes["created"] + outcomes["updated"]
        findings.facts |= {"acknowledged": len(told), "versions": versions, "unknown": len(unknown)}
        most = made + len(unknown)
        findings.expect(
            made <= versions <= most,
            f"{versions} versions for {made} puts and {len(unknown)} unknown ones",
        )

    return _stormy(plan, put_shared, judge)


def _twice(name: str, chain: list[Memory]) -> list[str]:
    again = [
        text for text, count in Counter(memory.content for memory in chain).items() if count > 1
    ]
    return [f"{name} has one put as several versions ({text.splitlines()[0]})" for text in again]


def _stormy(
    plan: Plan,
    work: Callable[..., None],
    judge: Callable[[Ghost, list[list[list[str]]], Findings], None],
) -> Findings:
    """Start all writers, kill and restart the server, cut connections; then check the store."""
    findings = Findings(
        {"processes": plan.processes, "puts": plan.processes * plan.puts, "kills": 0, "cuts": 0}
    )
    with own_server() as server:
        url = server.url(NAME)
        open_store(url).close()
        children = [Child(work, path=url, writer=n, puts=plan.puts) for n in range(plan.processes)]
        stop = threading.Event()
        storm = threading.Thread(target=_cut_on, args=(server.url(), plan.seed, stop, findings))
        try:
            for child in children:
                findings.expect(child.await_lines(1), f"a writer did not start: {child.error}")
            for child in children:
                child.tell("go")
            storm.start()
            middle = int(plan.puts * 0.4)
            children[0].listen(until=lambda lines: len(lines) > middle)
            server.kill()
            server.start()
            findings.count("kills")
            for child in children:
                ended = child.listen(LONGEST) and child.finish()
                findings.expect(
                    ended and child.code == 0, f"a writer ended with {child.code}: {child.error}"
                )
        finally:
            stop.set()
            if storm.ident:
                storm.join()
            for child in children:
                child.kill()
        said = [[line.split() for line in child.lines()[1:]] for child in children]
        findings.problems += [
            " ".join(words) for lines in said for words in lines if words[0] == "error"
        ][:5]
        with open_store(url) as ghost:
            judge(ghost, said, findings)
            findings.problems += faults_of(ghost)
    return findings


def _cut_on(url: str, seed: int, stop: threading.Event, findings: Findings) -> None:
    """Cut a connection now and then while there are clients."""
    import psycopg

    choose = random.Random(seed)
    while not stop.wait(choose.uniform(0.3, 1.7) * CUTS):
        try:
            findings.count("cuts", cut_one(url, choose.random()))
        except psycopg.Error:
            continue  # the server is down just now


def faults_of(ghost: Ghost) -> list[str]:
    """Return everything that a check, the proof of the log and a put afterwards find wrong."""
    proof = ghost.admin.verify_log()
    wrong = [] if proof.ok else [f"verify: {proof.to_dict()}"]
    return [*wrong, *unclean(ghost), *unwritable(ghost)]


def client(plan: Plan) -> Findings:
    """Kill clients during their puts while another client continues."""
    findings = Findings({"killed": 0, "acknowledged": 0})
    with own_server() as server:
        url = server.url(NAME)
        with Child(put_own, path=url, writer=0, puts=plan.puts) as steady:
            steady.await_lines(1)
            steady.tell("go")
            victims = []
            for writer, moment in enumerate(plan.moments("client", min(plan.rounds, 8)), 10):
                with Child(put_own, path=url, writer=writer, puts=10_000) as child:
                    child.await_lines(1)
                    child.tell("go")
                    child.listen(moment * 0.3)
                victims.append((writer, child))
            findings.expect(
                steady.finish() and steady.code == 0,
                f"the neighbour ended with {steady.code}: {steady.error}",
            )
        with open_store(url) as ghost:
            there = {memory.key: memory.content for memory in ghost.list(NS, limit=1_000_000)}
            for writer, child in (*victims, (0, steady)):
                for number in (
                    int(line.split()[1]) for line in child.lines() if line.startswith("put ")
                ):
                    findings.count("acknowledged")
                    findings.expect(
                        there.get(key(writer, number)) == content(writer, number),
                        f"{key(writer, number)} is lost",
                    )
            findings.facts["killed"] = sum(child.code == -9 for _, child in victims)
            findings.problems += faults_of(ghost)
    return findings


def every_message(_: Plan) -> Findings:
    """Cut the wire around every message of two puts; each put is stored once or not at all."""
    findings = Findings({"cuts": 0, "stored": 0, "told_unknown": 0, "retried": 0})
    with own_server() as server, tempfile.TemporaryDirectory(prefix="ghost-wire-") as folder:
        os.chmod(folder, 0o755)
        url = f"postgresql://ghost@/{NAME}?host={quote(folder, safe='')}"
        with Proxy(Path(folder), server.folder) as wire, open_store(url) as ghost:
            for number in range(3):
                ghost.put(NS, key(0, number), content(0, number))
            at = 0
            # of one chunk each: a put then always has the same messages, and the last of them is
            # met
            numbers = (number for number in itertools.count(3) if len(content(0, number)) < 300)
            while at < MESSAGES:
                at += 1
                met = [
                    _cut_put(ghost, wire, at, after, next(numbers), findings)
                    for after in (False, True)
                ]
                if True not in met:
                    break  # no put has so many messages
            findings.expect(
                int(findings.facts["told_unknown"]) > 0, "no cut met the moment when a put is kept"
            )
            findings.problems += faults_of(ghost)
    return findings


def _cut_put(
    ghost: Ghost, wire: Proxy, at: int, after: bool, number: int, findings: Findings
) -> bool:
    """Put a memory over a wire that breaks at a message, and check the result.

    False when the put had no such message.
    """
    name, text = key(0, number), content(0, number)
    wire.cut(at, after)
    stored: bool | None = True
    try:
        ghost.put(NS, name, text)
    except LostConnectionError as error:
        stored = error.stored
    was_cut = not wire.is_armed
    wire.cut(-1, False)
    findings.count("cuts", int(was_cut))
    findings.count("told_unknown", int(stored is None))
    findings.count("retried", int(stored is True and was_cut))
    chain = [memory.content for memory in _history(ghost, name)]
    findings.count("stored", len(chain))
    if (
        (stored is True and chain != [text])
        or (stored is False and chain)
        or (stored is None and chain not in ([], [text]))
    ):
        findings.problems.append(
            f"cut at {at} {'after' if after else 'before'}: {len(chain)} versions, and the "
            f"put said {stored}"
        )
    again = ghost.put(NS, name, text)
    findings.expect(
        again.version == 1, f"cut at {at}: the same put again made version {again.version}"
    )
    return was_cut


def _history(ghost: Ghost, name: str) -> list[Memory]:
    try:
        return ghost.history(NS, name)
    except GhostError:
        return []


def exhausted(_: Plan) -> Findings:
    """Use more threads than connections: they wait, and a timeout gives one clear error."""
    findings = Findings()
    with own_server() as server, ExitStack() as held:
        url = server.url(NAME)
        few = held.enter_context(
            Ghost.open(url, settings=replace(SETTINGS, pg_connections=2, busy_timeout=20.0))
        )
        threads = [
            threading.Thread(target=_put_some, args=(few, writer, 10, findings))
            for writer in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        findings.facts["threads"], findings.facts["connections"] = len(threads), 2
        short = held.enter_context(
            Ghost.open(url, settings=replace(SETTINGS, pg_connections=1, busy_timeout=0.5))
        )
        with short.store.engine.read() as tx:
            tx.search.spaces([NS])
            began = time.monotonic()
            try:
                short.put(NS, key(50, 0), content(50, 0))
                findings.problems.append("a put went through without a connection")
            except StoreBusyError as error:
                findings.facts["said"] = str(error).replace(str(server.folder), "FOLDER")
            findings.facts["waited_ms"] = round((time.monotonic() - began) * 1000)
        findings.problems += faults_of(short)
        findings.expect(
            len(short.list(NS, limit=1000)) == 81, "puts of waiting threads are missing"
        )
    return findings


def _put_some(ghost: Ghost, writer: int, puts: int, findings: Findings) -> None:
    for number in range(puts):
        try:
            ghost.put(NS, key(writer, number), content(writer, number))
        except GhostError as error:
            findings.problems.append(f"{type(error).__name__}: {error}")


def down(_: Plan) -> Findings:
    """Stop the server: for longer than one waits, one clear error without the password.

    A short interruption causes no error.
    """
    findings = Findings()
    with own_server() as server:
        url = server.url(NAME).replace("ghost@", f"ghost:{SECRET}@")
        with (
            Ghost.open(url, settings=replace(SETTINGS, busy_timeout=1.5)) as hasty,
            open_store(url) as patient,
        ):
            hasty.put(NS, key(0, 0), content(0, 0))
            patient.put(NS, key(0, 1), content(0, 1))
            server.kill()
            for name, work in (
                ("put", lambda: hasty.put(NS, key(0, 2), content(0, 2))),
                ("search", lambda: hasty.search("writer", NS)),
            ):
                began = time.monotonic()
                try:
                    work()
                    findings.problems.append(f"a {name} without a server did not fail")
                except LostConnectionError as error:
                    told = f"{error} {error.hint}"
                    findings.facts[f"{name}_waited_ms"] = round((time.monotonic() - began) * 1000)
                    findings.expect(SECRET not in told, "the password is in the error")
                    findings.expect(
                        "postgresql://ghost:***@" in told,
                        f"the error does not name the store: {told}",
                    )
                    findings.expect(error.stored is False, "nothing can be stored without a server")
            later = threading.Timer(1.0, server.start)
            later.start()
            try:
                patient.put(NS, key(0, 3), content(0, 3))
            except GhostError as error:
                findings.problems.append(
                    f"a put while the server came back: {type(error).__name__}: {error}"
                )
            later.join()
            hasty.put(NS, key(0, 4), content(0, 4))
            there = {memory.key for memory in patient.list(NS)}
            findings.expect(
                there == {key(0, number) for number in (0, 1, 3, 4)}, f"there are {sorted(there)}"
            )
            findings.problems += faults_of(patient)
    return findings


def creation(_: Plan) -> Findings:
    """Have several processes open one empty database at once; the tables are created once."""
    findings = Findings({"opened": 0})
    with own_server() as server:
        children = [Child(put_own, path=server.url(NAME), writer=n, puts=1) for n in range(4)]
        try:
            for child in children:
                findings.expect(child.await_lines(1), f"a process could not open it: {child.error}")
                child.tell("go")
                findings.expect(
                    child.finish() and "put 0" in child.lines(),
                    f"it said {child.lines()} {child.error}",
                )
                findings.count("opened")
        finally:
            for child in children:
                child.kill()
        with open_store(server.url(NAME)) as ghost:
            findings.expect(len(ghost.list(NS)) == 4, "a put is missing")
            findings.problems += faults_of(ghost)
    return findings


def hangs(_: Plan) -> Findings:
    """Suspend the server's processes: calls end with a clear error, and all works afterwards."""
    findings = Findings()
    with own_server() as server:
        url = server.url(NAME).replace("ghost@", f"ghost:{SECRET}@")
        with Ghost.open(url, settings=replace(SETTINGS, busy_timeout=HASTE)) as hasty:
            hasty.put(NS, key(0, 0), content(0, 0))
            stopped = _processes(server.pid)
            for pid in stopped:
                os.kill(pid, signal.SIGSTOP)
            try:
                _expect_errors(findings, hasty)
            finally:
                for pid in reversed(stopped):
                    os.kill(pid, signal.SIGCONT)
            _judge_after(findings, hasty, [key(0, 0)])
    return findings


def locked(_: Plan) -> Findings:
    """Lock the table of memories as ALTER TABLE does: every call ends with a clear error."""
    import psycopg

    findings = Findings()
    with own_server() as server:
        url = server.url(NAME)
        with Ghost.open(url, settings=replace(SETTINGS, busy_timeout=HASTE)) as hasty:
            hasty.put(NS, key(0, 0), content(0, 0))
            with psycopg.connect(url) as holder:
                holder.execute("LOCK TABLE memories IN ACCESS EXCLUSIVE MODE")
                _expect_errors(findings, hasty)
                holder.rollback()
            _judge_after(findings, hasty, [key(0, 0)])
    return findings


def _processes(head: int) -> list[int]:
    """Return a server's processes, the first of them first."""
    said = subprocess.run(
        ["pgrep", "-P", str(head)], capture_output=True, text=True, check=False
    ).stdout
    return [head, *map(int, said.split())]


def _expect_errors(findings: Findings, ghost: Ghost) -> None:
    """Call reading and writing operations, each in a thread with a time limit."""
    works: dict[str, Callable[[], object]] = {
        "put": lambda: ghost.put(NS, key(0, 1), content(0, 1)),
        "search": lambda: ghost.search("writer", NS),
        "get": lambda: ghost.get(NS, key(0, 0)),
    }
    for name, work in works.items():
        said: list[str] = []
        began = time.monotonic()
        thread = threading.Thread(target=_note_error, args=(work, said), daemon=True)
        thread.start()
        thread.join(HANGING)
        findings.facts[f"{name}_waited_ms"] = round((time.monotonic() - began) * 1000)
        findings.expect(not thread.is_alive(), f"a {name} still hangs after {HANGING:.0f} s")
        findings.expect(
            bool(said) or thread.is_alive(),
            f"a {name} succeeded, which is a fault of this scenario",
        )
        findings.expect(all(SECRET not in text for text in said), "the password is in the error")


def _note_error(work: Callable[[], object], said: list[str]) -> None:
    try:
        work()
    except GhostError as error:
        said.append(f"{type(error).__name__}: {error}")


def _judge_after(findings: Findings, ghost: Ghost, acknowledged: list[str]) -> None:
    """Check that acknowledged puts are stored once and that the store is intact and writable."""
    deadline = time.monotonic() + HANGING
    while time.monotonic() < deadline:
        try:
            ghost.put(NS, key(0, 2), content(0, 2))
            break
        except GhostError:
            continue
    there = [memory.key for memory in ghost.list(NS)]
    wanted = {*acknowledged, key(0, 2)}
    findings.expect(
        wanted <= set(there) <= {*wanted, key(0, 1)}, f"there are {sorted(there)}"
    )  # the put may have arrived
    findings.problems += faults_of(ghost)


SCENARIOS: dict[str, Callable[[Plan], Findings]] = {
    "server killed, connections cut, own keys": own_keys,
    "server killed, connections cut, shared keys": shared_keys,
    "wire cut at every message": every_message,
    "clients killed": client,
    "more threads than connections": exhausted,
    "server down": down,
    "server hangs": hangs,
    "table locked": locked,
    "several create one database": creation,
}
