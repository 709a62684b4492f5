"""Sessions of people: the one-time token, the cookie, what proves that our page wrote, and what is refused"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from ghostmem.web.auth import ALWAYS
from ghostmem.web.routes import ROUTES
from ghostmem.web.session import IDLE_SECONDS, MAX_SESSIONS, WebSession, WebSessions

if TYPE_CHECKING:
    from conftest import Answer, Served

PAGE = {"Accept": "text/html,application/xhtml+xml"}
FORM = {"Content_Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def sessions() -> WebSessions:
    """Return the sessions of a viewer of which nothing is open."""
    return WebSessions(strict=True)


@pytest.fixture
def private(serve: Callable[..., "Served"], sessions: WebSessions) -> "Served":
    """Serve a store as `ghost web` does."""
    served = serve(require_tokens=ALWAYS, sessions=sessions)
    served.ghost.put("a", "tea", "green tea")
    return served


def enter(served: "Served", sessions: WebSessions) -> tuple[str, str]:
    """Sign in with a one-time token and return the cookie and what writes must carry."""
    cookie = cookie_of(served.call("GET", f"/?token={sessions.ticket()}"))
    return cookie, served.api("GET", "/session", Cookie=cookie).json["csrf"]


def cookie_of(answer: "Answer") -> str:
    """Return the cookie that an answer sets."""
    assert answer.status == 303, answer
    return answer.headers["set-cookie"].partition(";")[0]


def test_a_one_time_token_opens_once(private: "Served", sessions: WebSessions) -> None:
    """The first request with it gets a cookie and is sent to /; the second is refused like one that never was."""
    ticket = sessions.ticket()
    first = private.call("GET", f"/?token={ticket}")
    assert (first.status, first.headers["location"], first.body) == (303, "/", b"")
    name, _, rest = first.headers["set-cookie"].partition("=")
    assert name == f"ghost_session_{private.port}"
    assert rest.split("; ")[1:] == ["Path=/", "HttpOnly", "SameSite=Strict"]
    assert private.call("GET", "/", Cookie=cookie_of(first)).status == 200
    again, wrong = private.call("GET", f"/?token={ticket}"), private.call("GET", "/?token=wrong")
    assert (again.status, wrong.status) == (401, 401)
    assert again.body == wrong.body
    assert "set-cookie" not in again.headers
    # with the cookie, an address that was used leads to the page
    assert (
        private.call("GET", f"/?token={ticket}", Cookie=cookie_of(first)).headers["location"] == "/"
    )


def test_a_look_ahead_does_not_use_the_token_up(private: "Served", sessions: WebSessions) -> None:
    """HEAD, as some programs send before they open an address, leaves the token good."""
    ticket = sessions.ticket()
    assert private.call("HEAD", f"/?token={ticket}").status == 401
    assert private.call("GET", f"/?token={ticket}").status == 303


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?token=",
        "/static/js/main.js",
        "/static/index.html",
        "/healthz",
        "/readyz",
        "/metrics",
    ],
)
def test_nothing_is_open_without_the_cookie(private: "Served", path: str) -> None:
    """Page, files, health and numbers are refused; a program is told in JSON."""
    answer = private.call("GET", path)
    assert answer.status == 401
    assert set(answer.json) == {"error", "message", "hint"}
    assert private.call("GET", path, Cookie="ghost_session=x; ghost_session_1=y").status == 401


@pytest.mark.wide(keep=8)
@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_no_route_is_open_without_the_cookie(
    private: "Served", sessions: WebSessions, route: Any
) -> None:
    """Every route of the API is refused without a cookie, and everything but reading without what our page knows."""
    path = (
        route.path.replace("{ns}", "a")
        .replace("{key}", "tea")
        .replace("{rule_id}", "x")
        .replace("{run}", "x")
    )
    assert private.api(route.method, path, {} if route.has_body else None).status == 401
    cookie, _ = enter(private, sessions)
    if route.method != "GET":
        for proof in ({}, {"X_Ghost_CSRF": ""}, {"X_Ghost_CSRF": "wrong"}, {"X_Ghost_CSRF": "ü"}):
            answer = private.api(
                route.method, path, {} if route.has_body else None, Cookie=cookie, **proof
            )
            assert (answer.status, answer.json["error"]) == (403, "ForbiddenOrigin")
    assert private.ghost.get("a", "tea").content == "green tea"


def test_news_are_not_open_without_the_cookie(private: "Served") -> None:
    """The stream of news is behind the same door."""
    assert private.api("GET", "/events").status == 401


def test_a_write_with_the_proof_is_done(private: "Served", sessions: WebSessions) -> None:
    """The page reads and writes as the owner; what another session was given proves nothing."""
    cookie, csrf = enter(private, sessions)
    other = enter(private, sessions)[1]
    put = {"content": "white tea"}
    assert (
        private.api("PUT", "/memories/a/tea", put, Cookie=cookie, X_Ghost_CSRF=other).status == 403
    )
    assert (
        private.api("PUT", "/memories/a/tea", put, Cookie=cookie, X_Ghost_CSRF=csrf).json["version"]
        == 2
    )
    assert private.ghost.get("a", "tea").source_client == "web"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "cors"},
        {"Host": "evil.example"},
    ],
    ids=str,
)
def test_other_sites_get_nowhere_even_with_the_cookie(
    private: "Served", sessions: WebSessions, headers: dict[str, str]
) -> None:
    """Origin and Host are checked before the cookie is looked at, for reading and for signing in too."""
    cookie, csrf = enter(private, sessions)
    for method, path in (
        ("POST", "/api/v1/search"),
        ("GET", "/api/v1/memories"),
        ("POST", "/sign-in"),
        ("GET", "/"),
    ):
        body = {"query": "tea"} if path.endswith("search") else None
        answer = private.call(method, path, body, Cookie=cookie, X_Ghost_CSRF=csrf, **headers)
        assert answer.status in (403, 421), (method, path, answer)


def test_looking_is_not_counted(private: "Served", sessions: WebSessions) -> None:
    """What a person reads and searches on the page leaves no trace in the counts that the lifecycle lives by."""
    cookie, csrf = enter(private, sessions)
    said = {"Cookie": cookie, "X_Ghost_CSRF": csrf}
    assert (
        private.api("POST", "/search", {"query": "tea"}, **said).json["results"][0]["key"] == "tea"
    )
    assert private.api("POST", "/context", {"query": "tea", "ns": "a"}, **said).status == 200
    assert private.api("GET", "/memories/a/tea", **said).status == 200
    assert private.api("GET", "/memories/a/tea/details", **said).json["days"] == []
    assert private.ghost.list("a")[0].access_count == 0


def test_signing_out_ends_the_session(private: "Served", sessions: WebSessions) -> None:
    """After that the cookie opens nothing; another site cannot sign anybody out."""
    cookie, csrf = enter(private, sessions)
    assert private.call("DELETE", "/sign-in", Cookie=cookie).status == 403
    assert private.call("DELETE", "/sign-in", Cookie=cookie, X_Ghost_CSRF=csrf).status == 204
    assert private.api("GET", "/session", Cookie=cookie).status == 401


def test_people_are_told_how_to_get_in(private: "Served") -> None:
    """A browser gets a page with a form, which may be framed by nobody and runs nothing."""
    answer = private.call("GET", "/", **PAGE)
    assert (answer.status, answer.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert b"ghost web" in answer.body
    assert b"<script" not in answer.body
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert private.call("GET", "/sign-in", **PAGE).status == 200


def test_a_granted_namespace_is_offered_before_it_has_memories(
    serve: Callable[..., "Served"],
) -> None:
    """So that the viewer can store the first one there; a prefix names no namespace."""
    served = serve(sessions=WebSessions())
    served.ghost.put("b", "plan", "a plan")
    secret, _ = served.ghost.admin.create_token("mine", ["a:write", "b:read", "c:*:write"])
    told = served.api("GET", "/session", None, secret).json
    assert (told["counts"], told["namespaces"]) == ({"b": 1, "a": 0}, ["b", "a"])
    assert told["namespaces_writable"] == ["a"]


def test_a_token_can_be_typed(serve: Callable[..., "Served"]) -> None:
    """Where tokens are needed, one that is typed opens what it may read, until it is revoked."""
    served = serve(sessions=WebSessions())
    served.ghost.put("a", "tea", "green tea")
    served.ghost.put("b", "plan", "a plan")
    secret, _ = served.ghost.admin.create_token("mine", ["a:read"])
    wrong = served.call("POST", "/sign-in", urlencode({"token": "nope"}).encode(), **FORM)
    assert wrong.status == 401
    assert b"not valid" in wrong.body
    cookie = cookie_of(
        served.call("POST", "/sign-in", urlencode({"token": f" {secret} "}).encode(), **FORM)
    )
    told = served.api("GET", "/session", Cookie=cookie).json
    assert (told["name"], told["namespaces"], told["namespaces_writable"]) == ("mine", ["a"], [])
    assert told["sequence"] == 1  # of "a" alone, as in its events
    assert served.api("GET", "/memories?ns=b", Cookie=cookie).status == 403
    proof = {"Cookie": cookie, "X_Ghost_CSRF": told["csrf"]}
    assert served.api("PUT", "/memories/a/tea", {"content": "x"}, **proof).status == 403
    served.ghost.admin.revoke_token("mine")
    assert served.api("GET", "/memories?ns=a", Cookie=cookie).status == 401


def test_a_form_is_small(serve: Callable[..., "Served"]) -> None:
    """Nobody can send megabytes to the door."""
    served = serve(sessions=WebSessions())
    assert served.call("POST", "/sign-in", b"token=" + b"x" * 10_000, **FORM).status == 413


def test_the_owner_needs_no_token_until_there_is_one(serve: Callable[..., "Served"]) -> None:
    """On a server that is open to its owner the page opens at once; the first token that is made closes it."""
    served = serve(sessions=WebSessions())
    opened = served.call("GET", "/", **PAGE)
    assert opened.status == 200
    cookie = opened.headers["set-cookie"].partition(";")[0]
    assert served.api("GET", "/session", Cookie=cookie).json["csrf"]
    assert served.api("PUT", "/memories/a/k", {"content": "x"}, Cookie=cookie).status == 403
    assert served.api("PUT", "/memories/a/k", {"content": "x"}).status == 201  # a program, as ever
    served.ghost.admin.create_token("first", ["*:write"])
    assert served.api("GET", "/session", Cookie=cookie).status == 401
    assert served.call("GET", "/", **PAGE).status == 401


def test_a_bearer_token_still_opens_the_api(private: "Served") -> None:
    """Programs with a good token are let in beside the page, without a cookie and without its proof."""
    secret, _ = private.ghost.admin.create_token("p", ["a:write"])
    assert private.api("PUT", "/memories/a/k", {"content": "x"}, secret).status == 201
    assert private.api("PUT", "/memories/a/k", {"content": "x"}, "wrong").status == 401


def test_read_only_refuses_every_write(serve: Callable[..., "Served"]) -> None:
    """Nothing is changed by anybody, a token that may included; reading and dry runs are answered."""
    sessions = WebSessions(strict=True, read_only=True)
    served = serve(require_tokens=ALWAYS, sessions=sessions)
    served.ghost.put("a", "tea", "green tea", tags=["t"])
    cookie, csrf = enter(served, sessions)
    secret, _ = served.ghost.admin.create_token("p", ["*:admin"])
    before = list(served.ghost.export())
    tries = [
        ("PUT", "/memories/a/tea", {"content": "x"}),
        ("DELETE", "/memories/a/tea", None),
        ("POST", "/memories/a/tea/curate", {"op": "pin"}),
        ("POST", "/reflect", {}),
        ("POST", "/edges", {"ns": "a", "from_key": "tea", "to_key": "tea", "rel": "refines"}),
        ("POST", "/rules", {"name": "r", "action": "ARCHIVE"}),
        ("POST", "/undo", {"run": "last"}),
    ]
    for method, path, body in tries:
        for answer in (
            served.api(method, path, body, Cookie=cookie, X_Ghost_CSRF=csrf),
            served.api(method, path, body, secret),
        ):
            assert (answer.status, answer.json["hint"]) == (
                403,
                "start `ghost web` without --read-only",
            ), (method, path)
    told = served.api("GET", "/session", Cookie=cookie).json
    assert (told["read_only"], told["namespaces_writable"]) == (True, [])
    assert (
        served.api("POST", "/reflect", {"dry_run": True}, Cookie=cookie, X_Ghost_CSRF=csrf).status
        == 200
    )
    assert served.api("POST", "/search", {"query": "tea"}, Cookie=cookie, X_Ghost_CSRF=csrf).json[
        "results"
    ]
    served.ghost.store.engine.read_only = True  # as `ghost web` does it
    assert (
        served.api("POST", "/reflect", {"dry_run": True}, Cookie=cookie, X_Ghost_CSRF=csrf).status
        == 200
    )
    refused = served.api(
        "DELETE", "/memories/a/tea?dry_run=true", None, Cookie=cookie, X_Ghost_CSRF=csrf
    )
    assert (refused.status, refused.json["hint"]) == (403, "start `ghost web` without --read-only")
    assert list(served.ghost.export()) == before


def scope(cookie: str = "") -> dict[str, Any]:
    """Return a request as the server sees it."""
    return {
        "headers": [(b"cookie", f"{cookie}".encode())],
        "server": ("127.0.0.1", 7),
        "method": "GET",
        "raw_path": b"/",
    }


def test_sessions_end_when_nobody_comes(sessions: WebSessions) -> None:
    """A session lives as long as it is used, and ends after half a day without."""
    now = [0.0]
    kept = WebSessions(clock=lambda: now[0])
    made = kept.begin(WebSession("c", trusted=True))
    for _ in range(3):
        now[0] += IDLE_SECONDS - 1
        assert kept.find(scope(f"ghost_session_7={made}")) is not None
    now[0] += IDLE_SECONDS + 1
    assert kept.find(scope(f"ghost_session_7={made}")) is None
    assert sessions.find(scope(f"ghost_session_7={made}")) is None


def test_the_table_of_sessions_is_bounded(sessions: WebSessions) -> None:
    """Who has not come for longest is forgotten first."""
    made = [sessions.begin(WebSession(str(number))) for number in range(MAX_SESSIONS + 1)]
    assert sessions.find(scope(f"ghost_session_7={made[0]}")) is None
    assert sessions.find(scope(f"a=b; ghost_session_7={made[-1]}; c=d")) is not None
    assert sessions.find(scope("ghost_session_7=" + "x" * 5000)) is None
    assert sessions.find(scope('ghost_session_7="\\"; ]=[')) is None
