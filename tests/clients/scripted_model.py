"""A model server on loopback that follows the prompt instead of a model.

It answers the four APIs that agent clients use: Anthropic messages, OpenAI responses, OpenAI chat
completions and Gemini. A prompt with `CALL tool {json} END` is answered with one call of that tool,
every other request with a short text. Every request is kept, in memory and as a file.
"""

import html
import inspect
import json
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ANSWER = "Understood."
_CALL = re.compile(r"CALL (?P<tool>\w+) (?P<arguments>\{.*?\}) END", re.DOTALL)
_ADDED = re.compile(
    r"<(ghost-memory|system-reminder|hook_context)\b.*?</\1>"
    r"|&lt;ghost-memory\b.*?&lt;/ghost-memory&gt;",
    re.DOTALL,
)
"""Text that a client or its hooks put into a prompt; a call in it was made before."""
_MEMORY = re.compile(r'<memory key="(?P<key>[^"]*)"[^>]*>(?P<text>.*?)</memory>', re.DOTALL)
_BLOCK = re.compile(
    r"<ghost-memory\b.*?</ghost-memory>|\[Ghost Memory: \d+\].*?\[End Ghost Memory\]", re.DOTALL
)
_PLAIN_MEMORY = re.compile(r"^- (?P<key>[^,\n]+),.*\n(?P<text>(?:  .*\n)+)", re.MULTILINE)
_LOADERS = ("tool_search", "ToolSearch")
_MESSAGE_PARTS = ("messages", "input", "contents")
"""The field of a request that holds the conversation, by API."""


def strings(value: Any) -> Iterator[str]:
    """Yield every string in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from strings(member)


@dataclass(frozen=True)
class Memory:
    """A memory in a block that a hook added."""

    key: str
    text: str


@dataclass(frozen=True)
class Tool:
    """A tool that a client offers; some clients group tools by server."""

    name: str
    group: str = ""


@dataclass(frozen=True)
class Exchange:
    """A request of a client."""

    number: int
    path: str
    body: dict[str, Any]

    @property
    def conversation(self) -> list[Any]:
        """Return the messages, the oldest first."""
        found = (self.body.get(name) for name in _MESSAGE_PARTS)
        return next((part for part in found if isinstance(part, list)), [])

    @property
    def text(self) -> str:
        """Return all that the model is told, tools and instructions included."""
        return html.unescape("\n".join(strings(self.body)))

    @property
    def conversation_text(self) -> str:
        """Return the text of the messages."""
        return html.unescape("\n".join(strings(self.conversation)))

    @property
    def blocks(self) -> list[list[Memory]]:
        """Return the memories of every block that hooks added, in the order of the request."""
        return [
            [
                Memory(found["key"], inspect.cleandoc(found["text"]))
                for form in (_MEMORY, _PLAIN_MEMORY)
                for found in form.finditer(block)
            ]
            for block in _BLOCK.findall(self.text)
        ]

    @property
    def memories(self) -> list[Memory]:
        """Return the memories of all blocks."""
        return [memory for block in self.blocks for memory in block]


@dataclass(frozen=True)
class Turn:
    """The part of a request that decides the answer."""

    prompt: str
    called: frozenset[str]  # tools that were called since the prompt
    tools: tuple[Tool, ...]
    everything: str = ""  # the whole request, which may name tools that must be loaded first
    schema: dict[str, Any] | None = None  # of a JSON answer, where one is demanded

    @property
    def tokens(self) -> int:
        """Return about how many tokens the request has; clients compact by this number."""
        return len(self.everything) // 4

    def call(self) -> tuple[Tool, dict[str, Any]] | None:
        """Return the tool that the prompt demands, and its arguments."""
        found = _CALL.search(_ADDED.sub("", self.prompt))
        if not found:
            return None
        wanted = re.compile(rf"(^|.*(\W|_)){re.escape(found['tool'])}$")
        if any(wanted.match(name) for name in self.called):
            return None
        if tool := next((tool for tool in self.tools if wanted.match(tool.name)), None):
            return tool, _arguments(found["arguments"])
        return self._load(found["tool"])

    def _load(self, name: str) -> tuple[Tool, dict[str, Any]] | None:
        """Return the call that loads a tool which a client lists by its name only."""
        loader = next((tool for tool in self.tools if tool.name in _LOADERS), None)
        full = re.search(rf"\b\w+__{re.escape(name)}\b", self.everything)
        if loader and full and loader.name not in self.called:
            return loader, {"query": f"select:{full[0]}"}
        return None

    def answer(self) -> str:
        """Return the text of the answer."""
        return json.dumps(sample(self.schema)) if self.schema else ANSWER


def _arguments(text: str) -> dict[str, Any]:
    """Read the arguments of a call; some clients escape the quotes of a prompt."""
    made: dict[str, Any] = json.loads(text.replace('\\"', '"') if text.startswith('{\\"') else text)
    return made


def sample(schema: dict[str, Any]) -> Any:
    """Return a small value that fits a JSON schema."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "object")
    kind = str(kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        members = schema.get("properties", {})
        return {name: sample(member) for name, member in members.items()}
    return {"array": [], "string": "ok", "boolean": False, "null": None}.get(kind, 0)


def _text(content: Any) -> str:
    """Return the text of a message's content, without the results of tools."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if isinstance(part.get("text"), str))


def _after_prompt(messages: list[Any], is_prompt: Callable[[Any], bool]) -> tuple[Any, list[Any]]:
    """Return the last message that is a prompt, and the messages after it."""
    for number in range(len(messages) - 1, -1, -1):
        if is_prompt(messages[number]):
            return messages[number], messages[number + 1 :]
    return {}, messages


def _parts(content: Any) -> list[Any]:
    """Return the parts of a message's content, of which a string has none."""
    return content if isinstance(content, list) else []


def anthropic_turn(body: dict[str, Any]) -> Turn:
    """Read a request for Anthropic messages."""

    def is_prompt(message: dict[str, Any]) -> bool:
        kinds = {part["type"] for part in _parts(message["content"])}
        return message["role"] == "user" and "tool_result" not in kinds

    prompt, later = _after_prompt(body["messages"], is_prompt)
    parts = [part for message in later for part in _parts(message["content"])]
    called = frozenset(part["name"] for part in parts if part["type"] == "tool_use")
    tools = tuple(Tool(tool["name"]) for tool in body.get("tools", ()))
    output = body.get("output_config", {}).get("format") or body.get("output_format") or {}
    everything = "\n".join(strings(body))
    return Turn(_text(prompt.get("content")), called, tools, everything, output.get("schema"))


def anthropic_events(turn: Turn, model: str) -> Iterator[dict[str, Any]]:
    """Yield the events of an Anthropic answer."""
    usage = {"input_tokens": turn.tokens, "output_tokens": 10}
    message: dict[str, Any] = {
        "id": _name("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
    }
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": message}
    call = turn.call()
    if call:
        start = {"type": "tool_use", "id": _name("toolu"), "name": call[0].name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    else:
        start = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": turn.answer()}
    yield {"type": "content_block_start", "index": 0, "content_block": start}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": usage}
    yield {"type": "message_stop"}


def anthropic_whole(turn: Turn, model: str) -> dict[str, Any]:
    """Return an Anthropic answer in one piece."""
    events = list(anthropic_events(turn, model))
    part = dict(events[1]["content_block"])
    if call := turn.call():
        part["input"] = call[1]
    else:
        part["text"] = turn.answer()
    message: dict[str, Any] = dict(events[0]["message"])
    return message | {"content": [part], "stop_reason": events[-2]["delta"]["stop_reason"]}


def responses_turn(body: dict[str, Any]) -> Turn:
    """Read a request for OpenAI responses."""
    prompt, later = _after_prompt(body["input"], lambda item: item.get("role") == "user")
    called = frozenset(item["name"] for item in later if item.get("type") == "function_call")
    tools: list[Tool] = []
    for tool in body.get("tools", ()):
        if tool["type"] == "namespace":
            tools += [Tool(member["name"], tool["name"]) for member in tool["tools"]]
        elif "name" in tool:
            tools.append(Tool(tool["name"]))
    schema = body.get("text", {}).get("format", {}).get("schema")
    everything = "\n".join(strings(body))
    return Turn(_text(prompt.get("content")), called, tuple(tools), everything, schema)


def responses_events(turn: Turn, model: str) -> Iterator[dict[str, Any]]:
    """Yield the events of an OpenAI response."""
    response: dict[str, Any] = {"id": _name("resp"), "object": "response", "model": model}
    yield {"type": "response.created", "response": response | {"status": "in_progress"}}
    item: dict[str, Any] = {"id": _name("item"), "status": "completed"}
    if call := turn.call():
        tool, arguments = call
        item |= {"type": "function_call", "call_id": _name("call"), "name": tool.name}
        item |= {"arguments": json.dumps(arguments)}
        item |= {"namespace": tool.group} if tool.group else {}
    else:
        part = {"type": "output_text", "text": turn.answer(), "annotations": []}
        item |= {"type": "message", "role": "assistant", "content": [part]}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    usage = {"input_tokens": turn.tokens, "output_tokens": 10, "total_tokens": turn.tokens + 10}
    done = {"status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.completed", "response": response | done}


def chat_turn(body: dict[str, Any]) -> Turn:
    """Read a request for OpenAI chat completions."""
    prompt, later = _after_prompt(body["messages"], lambda message: message["role"] == "user")
    calls = [call for message in later for call in message.get("tool_calls") or ()]
    called = frozenset(call["function"]["name"] for call in calls)
    tools = tuple(Tool(tool["function"]["name"]) for tool in body.get("tools") or ())
    schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
    everything = "\n".join(strings(body))
    return Turn(_text(prompt.get("content")), called, tools, everything, schema)


def _chat_message(turn: Turn) -> tuple[dict[str, Any], str]:
    """Return the message of a chat completion, and why it ends."""
    if call := turn.call():
        function = {"name": call[0].name, "arguments": json.dumps(call[1])}
        calls = [{"index": 0, "id": _name("call"), "type": "function", "function": function}]
        return {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
    return {"role": "assistant", "content": turn.answer()}, "stop"


def chat_events(turn: Turn, model: str) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a chat completion."""
    message, reason = _chat_message(turn)
    chunk: dict[str, Any] = {"id": _name("chat"), "object": "chat.completion.chunk"}
    chunk |= {"created": int(time.time()), "model": model}
    yield chunk | {"choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    yield chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield chunk | {"choices": [], "usage": _chat_usage(turn)}


def _chat_usage(turn: Turn) -> dict[str, int]:
    """Return the numbers of tokens of a chat completion."""
    total = turn.tokens + 10
    return {"prompt_tokens": turn.tokens, "completion_tokens": 10, "total_tokens": total}


def chat_whole(turn: Turn, model: str) -> dict[str, Any]:
    """Return a chat completion in one piece."""
    message, reason = _chat_message(turn)
    choice = {"index": 0, "message": message, "finish_reason": reason}
    answer = {"id": _name("chat"), "object": "chat.completion", "created": int(time.time())}
    return answer | {"model": model, "choices": [choice], "usage": _chat_usage(turn)}


def gemini_turn(body: dict[str, Any]) -> Turn:
    """Read a request for Gemini."""

    def is_prompt(content: dict[str, Any]) -> bool:
        result = any("functionResponse" in part for part in content["parts"])
        return content.get("role", "user") == "user" and not result

    prompt, later = _after_prompt(body["contents"], is_prompt)
    parts = [part for content in later for part in content["parts"]]
    called = frozenset(part["functionCall"]["name"] for part in parts if "functionCall" in part)
    tools = tuple(
        Tool(declared["name"])
        for tool in body.get("tools", ())
        for declared in tool.get("functionDeclarations", ())
    )
    config = body.get("generationConfig", {})
    schema = config.get("responseSchema") or config.get("responseJsonSchema")
    return Turn(_text(prompt.get("parts")), called, tools, "\n".join(strings(body)), schema)


def gemini_answer(turn: Turn, path: str) -> dict[str, Any]:
    """Return a Gemini answer; as a stream it is one event. The path names the model."""
    model = path.split("/")[-1].split(":")[0]
    part: dict[str, Any] = {"text": turn.answer()}
    if call := turn.call():
        part = {"functionCall": {"id": _name("call"), "name": call[0].name, "args": call[1]}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": turn.tokens, "candidatesTokenCount": 10}
    usage["totalTokenCount"] = turn.tokens + 10
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model}


_MODELS = {
    "object": "list",
    "data": [{"id": "scripted", "object": "model", "created": 0, "owned_by": "test"}],
    "models": [],
    "has_more": False,
}
_LAST_NUMBER = iter(range(1, 1_000_000))


def _name(prefix: str) -> str:
    return f"{prefix}_{next(_LAST_NUMBER):06d}"


class _Handler(BaseHTTPRequestHandler):
    """Answer the requests of one connection."""

    protocol_version = "HTTP/1.1"
    server: "ScriptedModel"

    def log_message(self, *args: Any) -> None:
        """Write nothing: the requests are kept as files."""

    def do_HEAD(self) -> None:
        """Answer a client that looks whether there is a server."""
        self._send({}, empty=True)

    def do_GET(self) -> None:
        """List the models; anything else is an empty object."""
        self._send(_MODELS if urlsplit(self.path).path.endswith("/models") else {})

    def do_CONNECT(self) -> None:
        """Refuse a connection to another host, and keep its name.

        Some clients use the proxy for loopback too; then the next request on this connection is ours.
        """
        if f"http://{self.path}" == self.server.url:
            self.send_response(200)
            self.end_headers()
            self.close_connection = False
        else:
            self.server.refused.append(self.path)
            self.send_error(403)

    def do_POST(self) -> None:
        """Answer a request for a model."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {}
        body = body if isinstance(body, dict) else {"list": body}
        path = urlsplit(self.path).path
        self.server.note(path, body)
        if path.endswith("/count_tokens"):
            self._send({"input_tokens": 100})
        elif path.endswith(":countTokens"):
            self._send({"totalTokens": 100})
        elif path.endswith("/messages"):
            self._answer(body, anthropic_turn(body), anthropic_events, anthropic_whole)
        elif path.endswith("/responses"):
            self._answer(body, responses_turn(body), responses_events, None)
        elif path.endswith("/chat/completions"):
            self._answer(body, chat_turn(body), chat_events, chat_whole)
        elif path.endswith(":streamGenerateContent"):
            self._send_events([gemini_answer(gemini_turn(body), path)])
        elif path.endswith(":generateContent"):
            self._send(gemini_answer(gemini_turn(body), path))
        else:
            self._send({})

    def _answer(self, body: dict[str, Any], turn: Turn, events: Any, whole: Any) -> None:
        """Answer as a stream or in one piece, as the request asks."""
        model = body.get("model", "scripted")
        if body.get("stream") or whole is None:
            self._send_events(events(turn, model), done=events is chat_events)
        else:
            self._send(whole(turn, model))

    def _send(self, value: Any, *, empty: bool = False) -> None:
        data = b"" if empty else json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _send_events(self, events: Any, *, done: bool = False) -> None:
        lines = []
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            lines.append(f"{name}data: {json.dumps(event)}\n\n")
        lines += ["data: [DONE]\n\n"] if done else []
        data = "".join(lines).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class ScriptedModel(ThreadingHTTPServer):
    """The server; `requests` are the requests for a model, in the order of their arrival."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.requests: list[Exchange] = []
        self.refused: list[str] = []  # hosts that a client wanted to reach through the proxy
        self.errors: list[str] = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Return the address without a path."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> "ScriptedModel":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()

    def note(self, path: str, body: dict[str, Any]) -> None:
        """Keep a request."""
        with self._lock:
            exchange = Exchange(len(self.requests), path, body)
            self.requests.append(exchange)
        name = f"{exchange.number:03d}-{re.sub(r'[^A-Za-z0-9]+', '-', path).strip('-')}.json"
        written = json.dumps({"path": path, "body": body}, indent=1, ensure_ascii=False)
        (self.folder / name).write_text(written, encoding="utf-8")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep an error of our own; a connection that the client closed early is none."""
        if not isinstance(sys.exception(), ConnectionError):
            self.errors.append(traceback.format_exc())
