// What changed: when memories were true, when they were believed, and what was believed at any moment before now.
import { get, isAborted } from "../api.js";
import { words } from "../diff.js";
import { announce, el, put } from "../dom.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { empty, failure, head, memoryLink, skeleton } from "../parts.js";
import { go, href, remember } from "../router.js";
import { Scale } from "../scale.js";
import { choices, isChosen, ns as chosenNs } from "../state.js";
import { strip } from "../strip.js";
import { count, when } from "../words.js";

export const title = "Timeline";
export const styles = ["timeline.css"];
export const wide = true;

const LIMIT = 5000;
const PAUSE = 150;
const STEPS = 1000;
const LISTED = 200;
const IN_VIEW = 8; // rows that are seen without scrolling: the first window is theirs
const EARLIEST = 0.02; // share of the earliest spans that the first window may leave out

export function view({ query }, signal) {
  const asked = { prefix: query.prefix || "", as_of: Number.isNaN(Date.parse(query.as_of)) ? "" : query.as_of, list: query.list || "", all: query.all || "" };
  const now = Date.now();
  const scale = new Scale(now - 30 * 864e5, now);
  const place = el("div", { class: "time-place", "aria-busy": "true" }, skeleton(6, "line"));
  const status = el("p", { class: "soft time-status" }, "\u00a0");
  const chart = strip(scale, { signal, onopen: (row, span) => go("memory", row.ns, row.key, { version: span.version }) });
  let spans = [];
  let truncated = false;
  let since = now - 864e5;
  let fitted = false;
  let listed = LISTED;
  let timer = 0;
  let running = new AbortController();

  const prefix = el("input", { class: "input", type: "search", value: asked.prefix, placeholder: "Keys that start with", "aria-label": "Keys that start with", autocomplete: "off", spellcheck: "false", oninput: () => { asked.prefix = prefix.value; remember(asked); later(true); } });
  const slider = el("input", { type: "range", class: "as-of", min: "0", max: String(STEPS), step: "1", "aria-label": "As of", oninput: slid });
  const told = el("output", { class: "as-of-told" });
  const search = el("a", { class: "button small", href: href("search") }, icon("search", 16), "Search as of then");
  const today = el("button", { class: "button small", type: "button", onclick: () => { asked.as_of = ""; moved(); } }, "Back to now");
  const list = el("button", { class: "button", type: "button", "aria-pressed": String(Boolean(asked.list)), onclick: () => { asked.list = asked.list ? "" : "1"; list.setAttribute("aria-pressed", String(Boolean(asked.list))); remember(asked); draw(); } }, icon("context"), "List");
  const every = el("button", { class: "button", type: "button", title: "Also show memories with one version that is still valid", onclick: () => { asked.all = asked.all ? "" : "1"; every.setAttribute("aria-pressed", String(!onlyChanged())); load(true); } }, "All memories");
  const tool = (label, keys, picture, run) => el("button", { class: "button icon-only", type: "button", "aria-label": label, title: `${label} (${keys})`, onclick: run }, icon(picture));

  const asOf = () => (asked.as_of ? Date.parse(asked.as_of) : null);
  function slid() {
    const share = Number(slider.value) / STEPS;
    asked.as_of = share >= 1 ? "" : new Date(since + (Date.now() - since) * share).toISOString();
    moved(false);
  }
  function moved(set = true) {
    if (set) setSlider();
    tellTime();
    draw();
    later(false);
  }
  function setSlider() {
    slider.value = String(asked.as_of ? Math.round(((asOf() - since) / Math.max(1, Date.now() - since)) * STEPS) : STEPS);
  }
  function tellTime() {
    told.textContent = asked.as_of ? when(asked.as_of) : "now";
    slider.setAttribute("aria-valuetext", told.textContent);
    search.setAttribute("href", href("search", { as_of: asked.as_of }));
    search.hidden = today.hidden = !asked.as_of;
  }
  function later(anew) {
    clearTimeout(timer);
    timer = setTimeout(() => load(anew), PAUSE);
  }

  async function load(anew = false) {
    running.abort();
    running = new AbortController();
    const mine = running.signal;
    remember(asked);
    place.setAttribute("aria-busy", "true");
    try {
      const found = await get("/spans", { ns: chosenNs(), key_prefix: asked.prefix.trim(), before: asked.as_of, changed: onlyChanged() ? "true" : "", limit: LIMIT }, mine);
      if (mine.aborted || signal.aborted) return;
      spans = found.spans.map(read);
      truncated = found.truncated;
      if (!asked.as_of && spans.length) since = Math.min(...spans.map((one) => one.said0)) - 3600e3;
      if (asked.as_of) since = Math.min(since, ...spans.map((one) => one.said0), asOf());
      if (!fitted || anew) fit(rows().slice(0, IN_VIEW));
      setSlider();
      tellTime();
      draw();
    } catch (error) {
      if (isAborted(error) || mine.aborted) return;
      status.textContent = "\u00a0";
      put(place, failure(error, () => load(anew)));
    } finally {
      if (!mine.aborted) place.setAttribute("aria-busy", "false");
    }
  }

  /** Show the time from the first valid or believed moment of some rows until now; a few that are much older are left out. */
  function fit(found = rows()) {
    const starts = found.flatMap((row) => row.spans.map((one) => Math.min(one.true0, one.said0))).sort((a, b) => a - b);
    const from = starts.length ? starts[Math.floor(starts.length * EARLIEST)] : Date.now() - 30 * 864e5;
    const ends = found.flatMap((row) => row.spans.map((one) => one.true1)).filter((at) => at !== Infinity && at < Date.now() + 366 * 864e5);
    const to = Math.max(Date.now(), asOf() || 0, ...ends.slice(0, LIMIT));
    const room = Math.max(3600e3, (to - from) * 0.04);
    scale.set(from - room, to + room);
    fitted = true;
    chart.redraw();
  }

  /** Keep what was believed at the moment that is asked for; at no moment means everything there is. */
  function shown() {
    const at = asOf();
    return at === null ? spans : spans.filter((one) => one.said0 <= at && one.said1 > at);
  }

  /** Only keys that changed, unless all are asked for or keys are narrowed down. */
  const onlyChanged = () => !asked.all && !asked.prefix.trim();
  const rows = () => grouped(shown());

  function draw() {
    const found = rows();
    const many = found.reduce((sum, row) => sum + row.spans.length, 0);
    every.setAttribute("aria-pressed", String(!onlyChanged()));
    every.disabled = Boolean(asked.prefix.trim());
    status.textContent = found.length ? `${onlyChanged() ? "Changed: " : ""}${count(found.length, "key")}, ${count(many, "version")}${asked.as_of ? ` believed at ${when(asked.as_of)}` : ""}${truncated ? "; older versions are left out: narrow it down by key or namespace" : ""}` : "\u00a0";
    announce(status.textContent.trim());
    if (!found.length) put(place, nothing());
    else if (asked.list) put(place, table(found));
    else {
      if (!chart.node.isConnected || chart.node.parentNode !== place) put(place, chart.node);
      chart.show(found, asOf());
    }
  }

  function nothing() {
    if (asked.as_of) return empty({ title: "Nothing was believed yet", text: `At ${when(asked.as_of)} nothing of this was stored.`, picture: "clock" });
    const stored = choices().find(([value]) => value === chosenNs())?.[2];
    if (onlyChanged() && stored) return empty({ title: "Nothing has changed yet", text: `${count(stored, "memory has", "memories have")} one version each, and all are still valid.`, picture: "check", action: el("button", { class: "button", type: "button", onclick: () => every.click() }, "Show all memories") });
    if (asked.prefix) return empty({ title: "No key starts with this", text: "Try a shorter beginning, or another namespace.", picture: "filter" });
    return empty({ title: "Nothing is stored yet", text: "Every memory appears here, with when it was true and when it was believed.", command: "ghost put -n agent:me -k tea 'The user drinks green tea.'", picture: "timeline" });
  }

  function table(rows) {
    const flat = rows.flatMap((row) => [...row.spans].reverse().map((span) => [row, span]));
    const range = (from, to, open) => [to >= from && [el("span", null, when(from)), " – "], el("span", null, to === Infinity ? open : to >= from ? when(to) : `until ${when(to)}`)];
    const line = ([row, span]) => el("tr", null, el("th", { scope: "row" }, memoryLink(row.ns, row.key), el("span", { class: "soft" }, row.ns)), el("td", { class: "num" }, span.version), el("td", null, range(span.true0, span.true1, "still true")), el("td", null, range(span.said0, span.said1, "still believed")), el("td", { class: "time-says", dir: "auto" }, said(row, span)));
    return el("div", { class: "time-list" },
      el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Versions with their times" }, el("table", null, el("thead", null, el("tr", null, ["Key", "Version", "True", "Believed", "Says"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", null, flat.slice(0, listed).map(line)))),
      flat.length > listed && el("button", { class: "button", type: "button", onclick: () => { listed += LISTED * 5; draw(); } }, `Show more of ${flat.length}`));
  }

  /** The text of a version, with what it changed marked. */
  function said(row, span) {
    const before = row.spans[row.spans.indexOf(span) - 1];
    if (!before || before.summary === span.summary) return span.summary;
    const [less, more] = words(before.summary, span.summary, { marks: ["del", "ins"], alike: 0.2 });
    return less ? [el("div", { class: "soft" }, less), el("div", null, more)] : span.summary;
  }

  const moves = { "+": ["zoom in", () => scale.zoom(0.6)], "-": ["zoom out", () => scale.zoom(1 / 0.6)], ArrowLeft: ["earlier", () => scale.pan(-0.15)], ArrowRight: ["later", () => scale.pan(0.15)], 0: ["show all", () => fit()] };
  const run = (name) => () => { moves[name][1](); chart.redraw(); };
  const group = { signal, group: "Timeline" };
  for (const name of Object.keys(moves)) bind(name, moves[name][0], run(name), group);
  bind("=", "zoom in", run("+"), { ...group, hidden: true });
  for (const [key, by] of [["j", 1], ["k", -1], ["ArrowDown", 1], ["ArrowUp", -1]]) bind(key, by > 0 ? "next key" : "previous key", () => (asked.list ? false : chart.focusRow(by)), { ...group, hidden: key.length > 1 });
  signal.addEventListener("abort", () => { clearTimeout(timer); running.abort(); }, { once: true });
  onChange((news) => { if (Object.keys(news.namespaces).some(isChosen)) later(false); }, signal);
  setSlider();
  tellTime();
  load();
  return el(
    "div",
    { class: "time" },
    head("Timeline", "What changed: when each version was true, and when it was believed"),
    el("div", { class: "time-tools" },
      el("div", { class: "time-filter" }, prefix),
      el("div", { class: "time-buttons" }, tool("Zoom out", "-", "minus", run("-")), tool("Zoom in", "+", "plus", run("+")), tool("Earlier", "←", "back", run("ArrowLeft")), tool("Later", "→", "forward", run("ArrowRight")), el("button", { class: "button", type: "button", title: "Show all (0)", onclick: run("0") }, "Fit"), every, list),
      el("div", { class: "time-as-of" }, el("span", { class: "field-label" }, "As of"), slider, told, today, search)),
    el("div", { class: "time-legend soft" }, el("span", null, el("i", { class: "key-true" }), "true"), el("span", null, el("i", { class: "key-said" }), "believed"), el("span", null, el("i", { class: "key-end" }), "ended"), el("span", null, el("i", { class: "key-old" }), "replaced or deleted since")),
    status,
    place,
  );
}

function read(span) {
  const time = (text) => (text ? Date.parse(text) : Infinity);
  return { ...span, said0: Date.parse(span.believed_from), said1: time(span.believed_to), true0: Date.parse(span.true_from), true1: time(span.true_to) };
}

/** Return rows of one key each, the ones that changed last first. */
function grouped(spans) {
  const found = new Map();
  for (const span of spans) {
    const id = `${span.ns}\n${span.key}`;
    if (!found.has(id)) found.set(id, { ns: span.ns, key: span.key, spans: [], last: 0 });
    const row = found.get(id);
    row.spans.push(span);
    row.last = Math.max(row.last, span.said0);
  }
  for (const row of found.values()) row.spans.sort((a, b) => a.version - b.version);
  return [...found.values()].sort((a, b) => b.last - a.last || (a.key < b.key ? -1 : 1));
}
