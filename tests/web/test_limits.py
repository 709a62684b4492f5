"""How much and how often"""

import http.client
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from ghostmem.web.app import RequestLimits
from ghostmem.web.rate import Rate, neighbourhood
from waiting import until

if TYPE_CHECKING:
    from conftest import Served


class Hands:
    """A clock in seconds that moves only when told."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_a_bucket_empties_and_fills() -> None:
    """A burst is allowed, then as many as the rate says; the time to wait is exact."""
    hands = Hands()
    rate = Rate(2.0, 3, hands)
    assert [rate.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert rate.wait("b") == 0
    hands.at = 0.5
    assert [rate.wait("a"), rate.wait("a")] == [0, 0.5]
    hands.at = 1000
    assert [rate.wait("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_asking_too_early_costs_nothing() -> None:
    """Who is turned away does not wait longer for having asked."""
    hands = Hands()
    rate = Rate(1.0, 1, hands)
    assert [rate.wait("a") for _ in range(100)] == [0] + [1] * 99
    hands.at = 1
    assert rate.wait("a") == 0


def test_the_table_does_not_grow_without_end() -> None:
    """Who has not called for longest is forgotten first."""
    rate = Rate(1.0, 1, Hands(), most=10)
    for number in range(1000):
        rate.wait(f"caller {number}")
    assert len(rate) == 10
    assert rate.wait("caller 999") == 1


def test_no_limit() -> None:
    """A rate of 0 means that nobody counts."""
    rate = Rate(0, 0, Hands())
    assert [rate.wait("a") for _ in range(100)] == [0] * 100
    assert len(rate) == 0


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_what_an_address_is_counted_by(address: str, counted: str) -> None:
    """One customer's network of IPv6 is one caller."""
    assert neighbourhood(address) == counted


def test_too_many_requests(serve: Callable[..., "Served"]) -> None:
    """The bucket of an address and of each token are separate; 429 says when to come back."""
    hands = Hands()
    served = serve(limits=RequestLimits(per_second=0.5, burst=2, clock=hands))
    one, _ = served.ghost.admin.create_token("one", ["*:read"])
    two, _ = served.ghost.admin.create_token("two", ["*:read"])
    assert [served.api("GET", "/stats", token=one).status for _ in range(3)] == [200, 200, 429]
    assert [served.api("GET", "/stats", token=two).status for _ in range(3)] == [200, 200, 429]
    assert [served.api("GET", "/stats").status for _ in range(3)] == [401, 401, 429]
    assert served.api("GET", "/stats", token="ghost_guess").status == 429
    assert served.call("GET", "/healthz").status == 429
    answer = served.api("GET", "/stats", token=one)
    assert (answer.headers["retry-after"], answer.json["error"]) == ("2", "TooManyRequests")
    hands.at = 2
    assert served.api("GET", "/stats", token=one).status == 200


@pytest.fixture
def small(serve: Callable[..., "Served"]) -> "Served":
    """Serve with a small limit of bodies."""
    return serve(limits=RequestLimits(per_second=0, body_bytes=1000))


def body(size: int) -> bytes:
    """Return a put of exactly so many bytes."""
    return json.dumps({"content": "x" * (size - len('{"content": ""}'))}).encode()


@pytest.mark.parametrize(("size", "status"), [(1000, 201), (1001, 413), (100_000, 413)])
@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_have_a_limit(small: "Served", size: int, status: int, chunked: bool) -> None:
    """A body over the limit is refused, whether its length was told or not, and nothing of it is stored."""
    link = http.client.HTTPConnection("127.0.0.1", small.port, timeout=60)

    def parts() -> Iterator[bytes]:
        data = body(size)
        for start in range(0, len(data), 100):
            yield data[start : start + 100]

    try:
        headers = {"Content-Type": "application/json"}
        try:
            link.request(
                "PUT",
                "/api/v1/memories/a/k",
                parts() if chunked else body(size),
                headers,
                encode_chunked=chunked,
            )
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server has answered and closed before all was sent
        found = link.getresponse()
        assert found.status == status
        assert json.loads(found.read()).get("error") == (None if status == 201 else "TooLarge")
    except ConnectionResetError:
        assert status == 413
    finally:
        link.close()
    assert len(small.ghost.list("a")) == (1 if status == 201 else 0)


def test_a_client_that_sends_too_much_gets_the_answer(serve: Callable[..., "Served"]) -> None:
    """A body up to four times the limit is received, so that its sender can read the answer."""
    served = serve(limits=RequestLimits(per_second=0, body_bytes=5_000_000))
    answer = served.api("PUT", "/memories/a/k", body(19_000_000))
    assert (answer.status, answer.json["error"]) == (413, "TooLarge")


def test_a_length_that_is_only_told_is_believed(small: "Served") -> None:
    """Who announces too much is refused before a byte of it is sent."""
    link = http.client.HTTPConnection("127.0.0.1", small.port, timeout=60)
    link.putrequest("PUT", "/api/v1/memories/a/k")
    link.putheader("Content-Length", "9" * 15)
    link.endheaders()
    assert link.getresponse().status == 413
    link.close()


def test_a_body_that_never_comes(serve: Callable[..., "Served"]) -> None:
    """Who announces a body and does not send it is not waited for without end."""
    served = serve(limits=RequestLimits(per_second=0, body_seconds=0.05))
    link = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    link.putrequest("PUT", "/api/v1/memories/a/k")
    link.putheader("Content-Length", "10")
    link.endheaders(b"{")
    assert link.getresponse().status == 408
    link.close()


def test_nobody_is_read_without_a_token(small: "Served") -> None:
    """The body of a stranger is not even looked at: the token comes first."""
    small.ghost.admin.create_token("one", ["*:read"])
    link = http.client.HTTPConnection("127.0.0.1", small.port, timeout=60)
    link.putrequest("PUT", "/api/v1/memories/a/k")
    link.putheader("Content-Length", "500")
    link.endheaders()
    assert link.getresponse().status == 401
    link.close()


def test_content_has_its_own_limit(serve: Callable[..., "Served"]) -> None:
    """A body that is small enough may hold a content that is not."""
    served = serve(settings={"max_content_bytes": 10})
    answer = served.api("PUT", "/memories/a/k", {"content": "x" * 11})
    assert (answer.status, answer.json["error"]) == (400, "InvalidInputError")


def test_bytes_count_as_requests_do(serve: Callable[..., "Served"]) -> None:
    """A large body is taken, and its sender waits afterwards as if he had sent as much in small ones; others do not."""
    hands = Hands()
    served = serve(limits=RequestLimits(per_second=1, burst=10, clock=hands))
    one, _ = served.ghost.admin.create_token("one", ["*:write"])
    two, _ = served.ghost.admin.create_token("two", ["*:write"])
    assert served.api("PUT", "/memories/a/k", {"content": "x" * 100_000}, token=one).status == 201
    answer = served.api("GET", "/stats", token=one)
    assert answer.status == 429
    assert 10 < int(answer.headers["retry-after"]) < 30
    assert served.api("GET", "/memories/a/k", token=two).status == 200
    hands.at = 30
    assert served.api("GET", "/memories/a/k", token=one).status == 200


def test_large_requests_leave_room_and_are_not_begun_for_nobody(
    serve: Callable[..., "Served"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two large puts wait for the store: a small read is answered, and a third whose client leaves stores nothing."""
    served = serve()
    served.ghost.put("a", "small", "a heron")
    large = json.dumps({"content": "heron " * 20_000}).encode()
    begun: list[str] = []
    put = served.ghost.put

    def noted(ns: str, key: str, *args: Any, **fields: Any) -> Any:
        begun.append(key)
        return put(ns, key, *args, **fields)

    monkeypatch.setattr(served.ghost, "put", noted)

    def send(key: str) -> http.client.HTTPConnection:
        link = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
        link.request(
            "PUT", f"/api/v1/memories/a/{key}", large, {"Content-Type": "application/json"}
        )
        return link

    with served.ghost.store.engine.write():
        links = [send("first"), send("second")]
        until(lambda: len(begun) == 2, "work on the first two")
        send("third").close()
        assert served.api("GET", "/memories/a/small").status == 200
    assert [link.getresponse().status for link in links] == [201, 201]
    fourth = send("fourth")
    assert fourth.getresponse().status == 201
    for link in (*links, fourth):
        link.close()
    assert (
        sorted(memory.key for memory in served.ghost.list("a"))
        == "first fourth second small".split()
    )
