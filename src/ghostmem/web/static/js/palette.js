// The command palette (Ctrl-K): screens, actions, namespaces and memories in one list, by typing.
import { get, isAborted, post } from "./api.js";
import { bare } from "./dialog.js";
import { all, announce, el, put } from "./dom.js";
import { icon } from "./icons.js";
import { middle } from "./parts.js";
import { go } from "./router.js";
import { choices, chooseNs, ns } from "./state.js";
import { count, number } from "./words.js";

const PAUSE = 80;
const SHOWN_MEMORIES = 6;
const SHOWN_NAMESPACES = 8;
let open = null;

/**
 * Show the palette, or close it. `commands` are {label, group, picture, keys, run}; namespaces and memories are added here.
 */
export function togglePalette(commands) {
  if (open?.isConnected) { open.close(); return; }
  if (document.querySelector("dialog[open]")) return; // a question stands open
  const list = el("div", { class: "palette-list", id: "palette-list", role: "listbox", "aria-label": "Commands" });
  const input = el("input", {
    class: "palette-input", type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", dir: "auto",
    "aria-label": "Command", autocomplete: "off", spellcheck: "false", placeholder: "Go to, search or do", oninput: typed, onkeydown: pressed,
  });
  let rows = [];
  let at = 0;
  let memories = [];
  let timer = 0;
  let running = new AbortController();

  function typed() {
    at = 0;
    clearTimeout(timer);
    running.abort();
    memories = [];
    draw();
    if (input.value.trim()) timer = setTimeout(find, PAUSE);
  }

  async function find() {
    running = new AbortController();
    const { signal } = running;
    const text = input.value.trim();
    try {
      const [starting, alike] = await Promise.all([
        get("/memories", { ns: ns(), key_prefix: text, limit: SHOWN_MEMORIES }, signal),
        post("/search", { query: text, limit: SHOWN_MEMORIES, ...(ns() ? { ns: ns() } : {}) }, signal),
      ]);
      const known = new Map([...starting.memories, ...alike.results].map((memory) => [memory.id, memory]));
      memories = [...known.values()].slice(0, SHOWN_MEMORIES);
      draw();
    } catch (error) {
      if (!isAborted(error)) memories = [];
    }
  }

  function draw() {
    const chosen = rows[at]?.id;
    rows = entries(input.value.trim(), commands, memories);
    const before = rows.findIndex((row) => row.id === chosen);
    if (at > 0 && before >= 0) at = before; // results that arrive do not move the choice
    at = Math.min(at, rows.length - 1);
    const groups = [...new Set(rows.map((row) => row.group))];
    put(list, rows.length === 0 && el("p", { class: "palette-none soft" }, "Nothing found"), groups.map((group) => el(
      "div", { role: "group", "aria-label": group }, el("div", { class: "palette-group", "aria-hidden": "true" }, group), rows.filter((row) => row.group === group).map(option))));
    mark();
  }

  function option(row) {
    const place = rows.indexOf(row);
    return el("div", { class: "palette-row", role: "option", id: `palette-${place}`, "aria-selected": "false", onclick: () => choose(row), onmousemove: () => { if (at !== place) { at = place; mark(); } } },
      icon(row.picture, 18), el("span", { class: "palette-label", dir: "auto" }, row.cut ? middle(row.label) : row.label), row.about && el("span", { class: "palette-about soft", dir: "auto" }, row.about),
      row.keys && el("span", { class: "palette-keys" }, row.keys.split(" ").map((key) => el("kbd", null, key))));
  }

  function mark() {
    all("[role=option]", list).forEach((node) => node.setAttribute("aria-selected", String(node.id === `palette-${at}`)));
    if (at < 0) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", `palette-${at}`);
      document.getElementById(`palette-${at}`)?.scrollIntoView({ block: "nearest" });
    }
  }

  function choose(row) {
    box.close();
    row.run();
  }

  function pressed(event) {
    if (event.isComposing) return;
    const last = rows.length - 1;
    if (event.key === "ArrowDown") at = at >= last ? 0 : at + 1;
    else if (event.key === "ArrowUp") at = at <= 0 ? last : at - 1;
    else if (event.key === "Enter" && rows[at]) { event.preventDefault(); choose(rows[at]); return; }
    else return;
    event.preventDefault();
    mark();
  }

  const box = bare("Command palette", "palette", el("div", { class: "palette-top" }, icon("search", 20), input, el("kbd", { "aria-hidden": "true" }, "Esc")), list);
  open = box;
  box.addEventListener("close", () => { clearTimeout(timer); running.abort(); });
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); }); // a click beside it
  draw();
  input.focus();
  announce(`${count(rows.length, "command")}`);
}

/** Return the rows for what was typed: matching commands, a search for it, namespaces and memories. */
function entries(text, commands, memories) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (label) => words.every((word) => label.toLowerCase().includes(word));
  const spaces = choices().filter(([value, label]) => value !== ns() && matches(`namespace ${label}`)).slice(0, words.length ? SHOWN_NAMESPACES : SHOWN_NAMESPACES / 2);
  const rows = [
    ...commands.filter((command) => matches(`${command.label} ${command.group}`)),
    ...(text ? [{ group: "Search", label: `Search for “${text}”`, picture: "search", run: () => go("search", { q: text }) }] : []),
    ...memories.map((memory) => ({ group: "Memories", label: memory.key, about: memory.ns, picture: "context", cut: true, run: () => go("memory", memory.ns, memory.key) })),
    ...spaces.map(([value, label, size]) => ({ group: "Namespace", label, about: number(size), picture: "list", run: () => chooseNs(value) })),
  ];
  return rows.map((row) => ({ ...row, id: `${row.group} ${row.label} ${row.about || ""}` }));
}
