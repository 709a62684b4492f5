// Search: results while one types, filters, and the receipt of every hit one click away.
import { bindActions } from "../actions.js";
import { get, isAborted, post } from "../api.js";
import { announce, el, put, all } from "../dom.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { checkbox, empty, excerpt, failure, field, kindChip, marked, marks, memoryLink, receipt, select, skeleton, tagChip, terms, tierChip, time } from "../parts.js";
import { remember } from "../router.js";
import { isChosen, ns } from "../state.js";
import { KINDS, SOURCES, TIERS, count } from "../words.js";

export const title = "Search";
export const styles = ["search.css"];

const PAUSE = 60; // milliseconds after a keystroke before the server is asked
const PAGE = 30;
const MOST = 300;
const FILTERS = ["kind", "tier", "tags", "source_kind", "source_user", "after", "before", "as_of", "pinned"];

export function view({ query }, signal) {
  const asked = { q: query.q || "", limit: PAGE, ...Object.fromEntries(FILTERS.map((name) => [name, query[name] || ""])) };
  const results = el("div", { class: "results", id: "results", "aria-busy": "true" }, skeleton(6));
  const status = el("p", { class: "search-status soft", id: "status" }, "\u00a0");
  const input = el("input", {
    id: "query", class: "search-input", type: "search", value: asked.q, placeholder: "What do you want to know?", autocomplete: "off",
    spellcheck: "false", autofocus: true, "aria-label": "Search memories", "aria-controls": "results", enterkeyhint: "search", oninput: typed,
  });
  const bar = filterBar(asked, changed, signal);
  const toggle = el("button", { class: "button", type: "button", "aria-label": "Filters", "aria-expanded": String(used() > 0), "aria-controls": "filters", onclick: toggleBar }, icon("filter"), el("span", null, "Filters"), el("span", { class: "badge", hidden: true }));
  bar.hidden = used() === 0;
  let timer = 0;
  let running = new AbortController();
  let hits = [];

  function used() {
    return FILTERS.filter((name) => asked[name]).length;
  }

  function toggleBar() {
    bar.hidden = !bar.hidden;
    toggle.setAttribute("aria-expanded", String(!bar.hidden));
  }

  function typed() {
    asked.q = input.value;
    asked.limit = PAGE;
    clearTimeout(timer);
    timer = setTimeout(load, PAUSE);
  }

  function changed(fields) {
    Object.assign(asked, fields, { limit: PAGE });
    load();
  }

  async function load() {
    running.abort(); // an answer to an older question must not come after this one
    running = new AbortController();
    const mine = running.signal;
    const { limit, ...kept } = asked;
    remember(kept);
    const badge = toggle.lastChild;
    badge.hidden = used() === 0;
    badge.textContent = String(used());
    results.setAttribute("aria-busy", "true");
    try {
      const found = asked.q.trim() ? await search(asked, mine) : await newest(asked, mine);
      if (mine.aborted || signal.aborted) return;
      show(found);
    } catch (error) {
      if (isAborted(error) || mine.aborted) return;
      put(results, failure(error, load));
      status.textContent = "";
    } finally {
      if (!mine.aborted) results.setAttribute("aria-busy", "false");
    }
  }

  function focused() {
    const id = document.activeElement?.closest?.(".hit")?.dataset.id;
    return hits.find((hit) => hit.id === id);
  }

  function show(found) {
    hits = found.hits;
    const words = terms(asked.q);
    const said = asked.q.trim() ? `${count(found.hits.length, "result")}${found.hits.length >= asked.limit ? " or more" : ""}` : found.hits.length ? "Stored last" : "";
    status.textContent = said || "\u00a0";
    announce(asked.q.trim() ? said : "");
    const open = new Set(all(".hit.open", results).map((node) => node.dataset.id));
    const at = document.activeElement?.closest?.(".hit")?.dataset.id;
    put(
      results,
      found.notes.map((note) => el("p", { class: "note" }, icon("info", 16), note)),
      found.hits.length ? el("ol", { class: "hits" }, found.hits.map((hit) => card(hit, words, open.has(hit.id), onTag))) : nothing(asked, used()),
      found.hits.length + found.weak.length >= asked.limit && asked.limit < MOST && el("button", { class: "button more", type: "button", onclick: more }, "Show more"),
      aside("Weaker matches", "Memories that score far below the best one.", found.weak, words, onTag),
      aside("No longer holds", "What would have been found, had it not ended.", found.superseded, words, onTag),
      aside("Narrowly missed", "What came close, and why it did not make it.", found.misses, words, onTag),
    );
    if (at) results.querySelector(`.hit[data-id="${CSS.escape(at)}"] .memory-link`)?.focus();
  }

  function onTag(tag) {
    bar.hidden = false;
    toggle.setAttribute("aria-expanded", "true");
    const box = bar.querySelector("[name=tags]");
    box.value = tag;
    changed({ tags: tag });
  }

  function more() {
    asked.limit = Math.min(MOST, asked.limit + PAGE * 2);
    load();
  }

  signal.addEventListener("abort", () => { clearTimeout(timer); running.abort(); }, { once: true });
  onChange((news) => { if (Object.keys(news.namespaces).some(isChosen)) load(); }, signal);
  keys(input, results, signal);
  bindActions(focused, load, signal);
  load();
  return el(
    "div",
    { class: "search" },
    el("h1", { class: "sr" }, "Search"),
    el("form", { class: "search-form", role: "search", onsubmit: (event) => { event.preventDefault(); clearTimeout(timer); load(); } },
      el("div", { class: "search-box" }, icon("search", 20), input, el("kbd", { "aria-hidden": "true" }, "/")), toggle),
    bar,
    status,
    results,
  );
}

async function search(asked, signal) {
  const { q, limit, tier, tags, pinned, ...rest } = asked;
  const body = { query: q, limit, explain: true, weak: true, ...given(rest) };
  if (ns()) body.ns = ns();
  if (tier === "all") body.include_all = true;
  else if (tier) body.tiers = [tier];
  if (tags) body.tags = listOf(tags);
  if (pinned) body.pinned = true;
  const found = await post("/search", body, signal);
  const weak = found.results.filter((hit) => hit.weak);
  return { hits: found.results.filter((hit) => !hit.weak), weak, notes: found.notes, superseded: found.superseded || [], misses: found.misses || [] };
}

async function newest(asked, signal) {
  const { q: _, limit, tier, tags, pinned, as_of, ...rest } = asked;
  const fields = { ns: ns(), limit, ...given(rest), tags: tags ? listOf(tags) : "", tier: tier === "all" ? "" : tier, pinned: pinned ? "true" : "" };
  const found = await get("/memories", fields, signal);
  return { hits: found.memories, notes: as_of ? ["Ask a question to see what was believed then; without one, the newest of today are shown."] : [], weak: [], superseded: [], misses: [] };
}

const listOf = (text) => text.split(",").map((tag) => tag.trim()).filter(Boolean);

/** Leave out what is empty; a day means its beginning after, and its end before. */
function given(fields) {
  const found = Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
  if (found.before) found.before = `${found.before}T23:59:59Z`;
  return found;
}

function card(hit, words, open, onTag) {
  const why = hit.why && el("div", { class: "why", id: `why-${hit.id}`, hidden: !open }, receipt({ ...hit.why, score: hit.score, similarity: hit.similarity }));
  const button = why && el("button", { class: "button quiet small why-button", type: "button", "aria-expanded": String(open), "aria-controls": why.id, onclick: toggle }, icon("chevron", 14), "Why");
  function toggle() {
    why.hidden = !why.hidden;
    button.setAttribute("aria-expanded", String(!why.hidden));
    node.classList.toggle("open", !why.hidden);
  }
  const text = hit.match_chunk || hit.content || "";
  const node = el(
    "li",
    { class: open ? "hit open" : "hit", dataset: { id: hit.id } },
    el(
      "div",
      { class: "hit-head" },
      el("h2", null, memoryLink(hit.ns, hit.key, marked(hit.key, words))),
      marks(hit),
      el("span", { class: "hit-ns soft" }, hit.ns),
    ),
    el("p", { class: "hit-text" }, marked(excerpt(text, words, hit), words)),
    hit.note && el("p", { class: "hit-note" }, icon("warning", 15), hit.note),
    el(
      "div",
      { class: "hit-foot" },
      tierChip(hit.tier),
      kindChip(hit.kind),
      (hit.tags || []).filter((tag) => tag !== "locked").slice(0, 8).map((tag) => tagChip(tag, () => onTag(tag))),
      hit.path && el("span", { class: "hit-path soft" }, icon("file", 14), `${hit.path}:${hit.line}`),
      el("span", { class: "hit-end" }, time(hit.created_at), button),
    ),
    why,
  );
  return node;
}

function aside(name, about, hits, words, onTag) {
  if (!hits.length) return null;
  return el("details", { class: "aside" }, el("summary", null, icon("chevron", 14), `${name} (${hits.length})`), el("p", { class: "soft" }, about), el("ol", { class: "hits" }, hits.map((hit) => card(hit, words, false, onTag))));
}

function nothing(asked, filters) {
  if (filters) return empty({ title: "Nothing passes these filters", text: "Take one away, or choose another namespace.", picture: "filter" });
  if (asked.q.trim()) return empty({ title: "Nothing relevant", text: "Ghost says so rather than guess. Dormant memories are left out unless the tier filter asks for them." });
  return empty({ title: "Nothing is remembered yet", text: "Store a first memory, then come back: this page shows it at once.", command: "ghost put -n agent:me -k tea 'The user drinks green tea.'", picture: "context" });
}

function filterBar(asked, changed, signal) {
  const pick = (name) => (event) => changed({ [name]: event.target.value });
  const tags = el("datalist", { id: "known-tags" });
  get("/tags", { ns: ns() }, signal).then((found) => put(tags, found.tags.slice(0, 200).map(({ tag }) => el("option", { value: tag })))).catch(() => {});
  const pairs = (table) => Object.entries(table).map(([value, about]) => [value, about.label || about]);
  const bar = el(
    "fieldset",
    { class: "filters", id: "filters" },
    el("legend", { class: "sr" }, "Filters"),
    field("Kind", select({ name: "kind", value: asked.kind, onchange: pick("kind") }, [["", "any"], ...pairs(KINDS)])),
    field("Tier", select({ name: "tier", value: asked.tier, onchange: pick("tier") }, [["", "awake"], ["all", "any"], ...pairs(TIERS)])),
    field("Tags", el("input", { class: "input", name: "tags", value: asked.tags, list: "known-tags", placeholder: "all of these, with commas", autocomplete: "off", onchange: pick("tags") })),
    field("Source", select({ name: "source_kind", value: asked.source_kind, onchange: pick("source_kind") }, [["", "any"], ...pairs(SOURCES)])),
    field("Who said it", el("input", { class: "input", name: "source_user", value: asked.source_user, autocomplete: "off", onchange: pick("source_user") })),
    field("From", el("input", { class: "input", name: "after", type: "date", value: asked.after, onchange: pick("after") })),
    field("To", el("input", { class: "input", name: "before", type: "date", value: asked.before, onchange: pick("before") })),
    field("As of", el("input", { class: "input", name: "as_of", value: asked.as_of, placeholder: "what was believed then", autocomplete: "off", onchange: pick("as_of") })),
    checkbox("Pinned only", { name: "pinned", checked: Boolean(asked.pinned), onchange: (event) => changed({ pinned: event.target.checked ? "1" : "" }) }),
    el("button", { class: "button quiet", type: "button", onclick: clear }, "Clear"),
    tags,
  );
  function clear() {
    for (const node of all("input, select", bar)) {
      if (node.type === "checkbox") node.checked = false;
      else node.value = "";
    }
    changed(Object.fromEntries(FILTERS.map((name) => [name, ""])));
  }
  return bar;
}

function keys(input, results, signal) {
  const links = () => all(".hits > .hit > .hit-head .memory-link", results).filter((node) => node.offsetParent);
  const move = (by) => () => {
    const found = links();
    if (!found.length) return false;
    const at = found.findIndex((node) => node.closest(".hit").contains(document.activeElement));
    if (at + by < 0) input.focus();
    else found[Math.min(found.length - 1, at + by)].focus();
    return true;
  };
  const group = { signal, group: "Results" };
  bind("j", "next", move(1), group);
  bind("k", "previous", move(-1), group);
  bind("ArrowDown", "next", (event) => event.target === input || event.target.closest?.(".hit") ? move(1)() : false, { ...group, typing: true, hidden: true });
  bind("ArrowUp", "previous", (event) => event.target.closest?.(".hit") ? move(-1)() : false, { ...group, hidden: true });
  bind("w", "why it is there", () => document.activeElement?.closest?.(".hit")?.querySelector(".why-button")?.click(), group);
  bind("Enter", "open", () => false, group);
  bind("Escape", "back to the question", (event) => {
    if (event.target !== input) { input.focus(); return true; }
    if (!input.value) return false;
    input.value = "";
    input.dispatchEvent(new Event("input"));
    return true;
  }, { ...group, typing: true });
}
