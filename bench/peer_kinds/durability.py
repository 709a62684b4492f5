"""Check that acknowledged puts are stored after four parallel writers and after kills."""

import random

from bench.peer_kinds.bench import Bench, Found
from bench.peer_kinds.driver import Driver, DriverError


def writers(bench: Bench, processes: int = 4, each: int = 50) -> Found:
    """Have four processes put into one store, then check the acknowledged puts in a fifth."""
    drivers: list[Driver] = []
    problems: list[str] = []
    stored: list[str] = []
    try:
        with bench.driver("writers") as first:  # so that nobody has to create the store
            first.ask(
                "put",
                bench.seconds,
                items=bench.sets.extra,
                start=processes * each,
                stop=processes * each + 1,
                seconds=60,
            )
            first.leave(bench.seconds)
        for _ in range(processes):
            try:
                drivers.append(bench.driver("writers"))
            except DriverError as error:
                problems.append(str(error))
        for number, driver in enumerate(drivers):
            ask: Found = {
                "items": bench.sets.extra,
                "start": number * each,
                "stop": number * each + each,
            }
            driver.tell("put", **ask, seconds=bench.seconds)
        for driver in drivers:
            try:
                done = driver.hear(bench.seconds + 60)
                stored += done["stored"]
                problems += done["failed"]
                driver.leave(bench.seconds)
            except DriverError as error:
                problems.append(str(error))
    finally:
        for driver in drivers:
            driver.kill()
    with bench.driver("writers") as reader:
        lost = reader.ask("missing", bench.seconds, items=bench.sets.extra, keys=stored)["missing"]
    return {
        "processes": processes,
        "started": len(drivers),
        "puts": processes * each,
        "acknowledged": len(stored),
        "lost": len(lost),
        "errors": len(problems),
        **({"error": problems[0][:200]} if problems else {}),
    }


def kill(bench: Bench, rounds: int = 3) -> Found:
    """Kill the process (and the server) during puts, then check the acknowledged puts."""
    choose = random.Random(7)
    acknowledged: list[str] = []
    for number in range(rounds):
        driver = bench.driver("killed")
        start, until = number * 400, choose.randint(20, 60)
        driver.tell(
            "put",
            items=bench.sets.extra,
            start=start,
            stop=start + 400,
            seconds=bench.seconds,
            aloud=True,
        )
        try:
            heard = [driver.hear(bench.seconds) for _ in range(until)]
        except DriverError:
            driver.kill()
            raise
        heard += driver.kill_and_read()
        acknowledged += [line["put"] for line in heard if "put" in line]
    with bench.driver("killed") as reader:
        lost = reader.ask("missing", bench.seconds, items=bench.sets.extra, keys=acknowledged)[
            "missing"
        ]
    return {"kills": rounds, "acknowledged": len(acknowledged), "lost": len(lost)}
