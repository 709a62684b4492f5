// Search: results while one types, filters, counts to narrow by, and the receipt of every hit one click away.
import { bindActions } from "../actions.js";
import { get, post } from "../api.js";
import { afterPaint, announce, el, put, all } from "../dom.js";
import { countFacets, facetColumn } from "../facets.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { checkbox, command, empty, failure, field, kindChip, marks, memoryLink, middle, select, skeleton, tagChip, tierChip, time } from "../parts.js";
import { receipt } from "../receipt.js";
import { remember, setTitle } from "../router.js";
import { marked, snippet, terms } from "../snippet.js";
import { isChosen, ns } from "../state.js";
import { KINDS, SOURCES, TIERS, count, joinList, splitList } from "../words.js";

export const title = ({ query }) => [query.q, "Search"];
export const styles = ["search.css"];

const PATIENCE = 200; // milliseconds that a new question waits for the answer to the one before it
const PAGE = 30;
const MOST = 300;
const SHOWN_TAGS = 5;
const STRONG_SHARE = 0.6; // of the best score, as in ghostmem/search/cutoff.py
const FILTERS = ["kind", "tier", "tags", "source_kind", "source_user", "after", "before", "as_of", "pinned"];

export function view({ query, kept }, signal) {
  const asked = { q: query.q || "", limit: kept.limit || PAGE, ...Object.fromEntries(FILTERS.map((name) => [name, query[name] || ""])) };
  const results = el("div", { class: "results", id: "results", "aria-busy": "true", onclick: opened }, skeleton(6));
  const status = el("p", { class: "search-status soft", id: "status" }, "\u00a0");
  const input = el("input", {
    id: "query", class: "search-input", type: "search", value: asked.q, placeholder: "Search memories", autocomplete: "off", dir: "auto",
    spellcheck: "false", dataset: { focus: "" }, "aria-label": "Search memories", "aria-controls": "results", enterkeyhint: "search", oninput: typed,
  });
  const bar = filterBar(asked, changed, signal);
  const facets = facetColumn(narrow);
  const toggle = el("button", { class: "button", type: "button", "aria-label": "Filters", "aria-expanded": String(used() > 0), "aria-controls": "filters", onclick: toggleBar }, icon("filter"), el("span", null, "Filters"), el("span", { class: "badge", hidden: true }));
  bar.hidden = used() === 0;
  let running = null; // the request that is not answered yet
  let isSearch = false; // whether that request is a search, not the list of the newest memories
  let waiting = 0; // the timer of a question that waits for that answer
  let hits = [];
  let drawn = ""; // the answer whose rows are shown
  let back = kept.at; // the result that was opened from here

  function used() {
    return FILTERS.filter((name) => asked[name]).length;
  }

  function toggleBar() {
    bar.hidden = !bar.hidden;
    toggle.setAttribute("aria-expanded", String(!bar.hidden));
  }

  /** Ask at once, or as soon as a running search is answered: two searches at a time would slow each other down. */
  function typed() {
    asked.q = input.value;
    if (running && isSearch) waiting = waiting || setTimeout(fromTop, PATIENCE);
    else fromTop();
  }

  function submitted(event) {
    event.preventDefault();
    if (!running) load(); // otherwise the answer is on its way
  }

  function changed(fields) {
    Object.assign(asked, fields);
    fromTop();
  }

  function narrow(fields) {
    for (const [name, value] of Object.entries(fields)) bar.querySelector(`[name=${name}]`).value = value;
    changed(fields);
  }

  function fromTop() {
    asked.limit = PAGE;
    for (const name of Object.keys(kept)) delete kept[name];
    back = null;
    load();
  }

  function opened(event) {
    const hit = event.target.closest(".hit");
    if (!hit || event.target.closest("button, summary, .why") || !getSelection().isCollapsed) return;
    kept.at = hit.dataset.id;
    if (!event.target.closest("a")) hit.querySelector(".memory-link").dispatchEvent(new MouseEvent("click", event)); // with its keys
  }

  function stop() {
    clearTimeout(waiting);
    waiting = 0;
    running?.abort();
    running = null;
  }

  async function load() {
    stop(); // an answer to an older question must not come after this one
    const mine = new AbortController();
    running = mine;
    isSearch = asked.q.trim() !== "";
    const answer = isSearch ? search(asked, mine.signal) : newest(asked, mine.signal);
    showQuestion(); // while the server works
    results.setAttribute("aria-busy", "true");
    try {
      const found = await answer;
      if (running === mine && !waiting) show(found);
    } catch (error) {
      if (running === mine && !waiting) fail(error);
    }
    if (running !== mine) return;
    running = null;
    if (waiting) fromTop();
    else results.setAttribute("aria-busy", "false");
  }

  /** Write the question into the address and the title, and the number of filters on their button. */
  function showQuestion() {
    const { limit: _, ...address } = asked;
    remember(address);
    setTitle(asked.q.trim(), "Search");
    const badge = toggle.lastChild;
    badge.hidden = used() === 0;
    badge.textContent = String(used());
  }

  function fail(error) {
    put(results, failure(error, load));
    drawn = "";
    status.textContent = "";
  }

  function focused() {
    const id = document.activeElement?.closest?.(".hit")?.dataset.id;
    return hits.find((hit) => hit.id === id);
  }

  function show(found) {
    const answer = JSON.stringify([asked, found]);
    if (answer === drawn) return; // a write elsewhere must not replace the row that somebody is about to click
    drawn = answer;
    hits = [...found.hits, ...found.weak];
    const said = statusOf(found, asked);
    status.textContent = said || "\u00a0";
    announce(asked.q.trim() ? said : "");
    const look = lookOf(found, asked, { open: new Set(all(".hit.open", results).map((node) => node.dataset.id)), onTag });
    const at = back || document.activeElement?.closest?.(".hit")?.dataset.id;
    const folds = () => kept.folds || [];
    const onFold = (name, open) => { kept.folds = [...folds().filter((one) => one !== name), ...(open ? [name] : [])]; };
    const aside = (name, about, list) => fold(name, about, list, look, folds().includes(name), onFold);
    put(
      results,
      found.notes.map((note) => el("p", { class: "note" }, icon("info", 16), note)),
      found.hits.length ? el("ol", { class: "hits" }, found.hits.map((hit) => card(hit, look))) : nothing(asked, used()),
      aside("Weaker matches", `They score less than ${STRONG_SHARE * 100} % of the best match (${look.best.toFixed(2)}), or come after the ten best.`, found.weak),
      hits.length >= asked.limit && asked.limit < MOST && el("button", { class: "button more", type: "button", onclick: more }, "Show more"),
      aside("No longer valid", "They would have been found, but their validity has ended.", found.superseded),
      aside("Narrowly missed", "They came close, and were left out.", found.misses),
    );
    const chosen = { kind: asked.kind, tags: splitList(asked.tags) };
    afterPaint(() => facets.show(found.facets || countFacets([...found.hits, ...found.weak]), chosen));
    if (at) results.querySelector(`.hit[data-id="${CSS.escape(at)}"] .memory-link`)?.focus({ preventScroll: true });
    back = null;
  }

  function onTag(tag) {
    narrow({ tags: joinList([...new Set([...splitList(asked.tags), tag])]) });
  }

  function more() {
    asked.limit = kept.limit = Math.min(MOST, asked.limit + PAGE * 2);
    load();
  }

  signal.addEventListener("abort", stop, { once: true });
  onChange((news) => { if (Object.keys(news.namespaces).some(isChosen)) load(); }, signal);
  keys(input, results, signal);
  bindActions(focused, load, signal);
  load();
  return el(
    "div",
    { class: "search" },
    el("h1", { class: "sr" }, "Search"),
    el("form", { class: "search-form", role: "search", onsubmit: submitted },
      el("div", { class: "search-box" }, icon("search", 20), input, el("kbd", { "aria-hidden": "true" }, "/")), toggle),
    bar,
    el("div", { class: "search-grid" }, facets.node, el("div", { class: "search-main" }, status, results)),
  );
}

async function search(asked, signal) {
  const { q, limit, tier, tags, pinned, ...rest } = asked;
  const body = { query: q, limit, explain: true, weak: true, ...given(rest) };
  if (ns()) body.ns = ns();
  if (tier === "all") body.include_all = true;
  else if (tier) body.tiers = [tier];
  if (tags) body.tags = splitList(tags);
  if (pinned) body.pinned = true;
  const found = await post("/search", body, signal);
  const weak = found.results.filter((hit) => hit.weak);
  return { hits: found.results.filter((hit) => !hit.weak), weak, notes: found.notes, superseded: found.superseded || [], misses: found.misses || [] };
}

async function newest(asked, signal) {
  const { q: _, limit, tier, tags, pinned, as_of, ...rest } = asked;
  const fields = { ns: ns(), ...given(rest), tags: tags ? splitList(tags) : "", tier: tier === "all" ? "" : tier, pinned: pinned ? "true" : "" };
  const [found, facets] = await Promise.all([get("/memories", { ...fields, limit }, signal), get("/facets", fields, signal)]);
  const notes = as_of ? ["Type a question to search what was believed then. Without one, the newest memories of today are listed."] : [];
  return { hits: found.memories, facets, notes, weak: [], superseded: [], misses: [] };
}

/** Leave out what is empty; a day means its beginning after, and its end before. */
function given(fields) {
  const found = Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
  if (found.before) found.before = `${found.before}T23:59:59Z`;
  return found;
}

function statusOf({ hits, weak, facets }, asked) {
  if (!asked.q.trim()) return hits.length ? `${count(facets.total, "memory", "memories")}${asked.tier && asked.tier !== "all" ? "" : " of all tiers"}, newest first` : "";
  const more = hits.length + weak.length >= asked.limit ? " or more" : "";
  return `${count(hits.length, "result")}${weak.length ? `, ${weak.length}${more} weaker` : more}`;
}

/** What all rows of a list share: the words to mark, the best score, and the usual kind and namespace, which no row has to name. */
function lookOf({ hits, weak }, asked, rest) {
  const list = [...hits, ...weak];
  const [usual] = countFacets(list).kinds; // the commonest kind needs no chip
  return {
    words: terms(asked.q),
    best: Math.max(0, ...list.map((hit) => hit.score || 0)),
    kind: usual?.name,
    showNs: !ns() || ns().endsWith("*"),
    ...rest,
  };
}

function card(hit, look) {
  const { words, open, onTag } = look;
  const isOpen = open.has(hit.id);
  const why = hit.why && el("div", { class: "why", id: `why-${hit.id}`, hidden: !isOpen });
  const explain = () => { if (!why.firstChild) why.append(receipt({ ...hit.why, score: hit.score, similarity: hit.similarity })); };
  if (why && isOpen) explain();
  const button = why && el("button", { class: "button quiet small why-button", type: "button", "aria-expanded": String(isOpen), "aria-controls": why.id, title: "Why it was found (w)", onclick: toggle }, icon("chevron", 14), "Why");
  function toggle() {
    explain();
    why.hidden = !why.hidden;
    button.setAttribute("aria-expanded", String(!why.hidden));
    node.classList.toggle("open", !why.hidden);
  }
  const tags = (hit.tags || []).filter((tag) => tag !== "locked");
  const node = el(
    "li",
    { class: isOpen ? "hit open" : "hit", dataset: { id: hit.id } },
    el(
      "div",
      { class: "hit-head" },
      el("h2", null, memoryLink(hit.ns, hit.key, marked(hit.key, words))),
      marks(hit),
      el("span", { class: "hit-chips" },
        hit.tier !== "stm" && tierChip(hit.tier),
        hit.kind !== look.kind && kindChip(hit.kind),
        tags.slice(0, SHOWN_TAGS).map((tag) => tagChip(tag, () => onTag(tag))),
        tags.length > SHOWN_TAGS && el("span", { class: "soft", title: tags.slice(SHOWN_TAGS).join(", ") }, `+${tags.length - SHOWN_TAGS}`)),
      el("span", { class: "hit-end" }, look.showNs && el("span", { class: "hit-ns" }, middle(hit.ns)), time(hit.created_at), score(hit, look.best), button),
    ),
    el("p", { class: "hit-text", dir: "auto" }, snippet(hit.match_chunk || hit.content || "", words, hit)),
    hit.path && el("p", { class: "hit-path soft" }, icon("file", 14), `${hit.path}:${hit.line}`),
    hit.note && el("p", { class: "hit-note" }, icon("warning", 15), hit.note),
    why,
  );
  return node;
}

/** The score of a hit as a bar, as long as its share of the best. */
function score({ score: value }, best) {
  if (value === undefined || value === null || best <= 0) return null;
  const share = Math.max(0, Math.min(1, value / best));
  return el("span", { class: "score", title: `score ${value.toFixed(2)}, ${Math.round(share * 100)} % of the best` },
    el("i", { "aria-hidden": "true" }, el("b", { vars: { "--share": `${Math.round(share * 100)}%` } })), el("span", { class: "sr" }, `score ${value.toFixed(2)}`));
}

function fold(name, about, hits, look, open, onFold) {
  if (!hits.length) return null;
  const node = el("details", { class: "aside", open, ontoggle: toggled }, el("summary", null, icon("chevron", 14), `${name} (${hits.length})`), el("p", { class: "soft" }, about));
  const fill = () => { if (!node.querySelector(".hits")) node.append(el("ol", { class: "hits" }, hits.map((hit) => card(hit, look)))); };
  function toggled() {
    if (node.open) fill(); // rows that nobody looks at cost nothing while one types
    onFold(name, node.open);
  }
  if (open) fill();
  return node;
}

function nothing(asked, filters) {
  if (filters) return empty({ title: "Nothing passes these filters", text: "Remove a filter, or choose another namespace.", picture: "filter" });
  if (asked.q.trim()) return empty({ title: "Nothing relevant", text: "No memory is close enough to the question. Dormant memories are left out unless the tier filter includes them." });
  return empty({
    title: "No memories yet", text: "Store a first memory, or connect your agent so that it stores them. They appear here at once.",
    command: "ghost put -n agent:me -k tea 'The user drinks green tea.'", picture: "context", action: command("ghost setup claude-code --hooks"),
  });
}

function filterBar(asked, changed, signal) {
  const pick = (name) => (event) => changed({ [name]: event.target.value });
  const tags = el("datalist", { id: "known-tags" });
  get("/tags", { ns: ns() }, signal).then((found) => put(tags, found.tags.slice(0, 200).map(({ tag }) => el("option", { value: tag })))).catch(() => {});
  const pairs = (table) => Object.entries(table).map(([value, about]) => [value, about.label || about]);
  const box = (name, props = {}) => el("input", { class: "input", name, value: asked[name], autocomplete: "off", onchange: pick(name), ...props });
  const bar = el(
    "fieldset",
    { class: "filters", id: "filters" },
    el("legend", { class: "sr" }, "Filters"),
    field("Tier", select({ name: "tier", value: asked.tier, onchange: pick("tier") }, [["", "active (short- and long-term)"], ["all", "any"], ...pairs(TIERS)])),
    field("Kind", select({ name: "kind", value: asked.kind, onchange: pick("kind") }, [["", "any"], ...pairs(KINDS)])),
    field("Tags (all of these)", box("tags", { list: "known-tags", placeholder: "payments, rules", dir: "auto" })),
    field("Source", select({ name: "source_kind", value: asked.source_kind, onchange: pick("source_kind") }, [["", "any"], ...pairs(SOURCES)])),
    field("Said by", box("source_user", { dir: "auto" })),
    field("From", box("after", { type: "date" })),
    field("To", box("before", { type: "date" })),
    field("Believed as of", box("as_of", { placeholder: "2026-01-31" })),
    el("div", { class: "filters-end" },
      checkbox("Pinned only", { name: "pinned", checked: Boolean(asked.pinned), onchange: (event) => changed({ pinned: event.target.checked ? "1" : "" }) }),
      el("button", { class: "button small", type: "button", onclick: clear }, "Clear filters")),
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
  const links = () => all(".hits > .hit > .hit-head .memory-link", results).filter((node) => node.checkVisibility());
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
  bind("w", "why it was found", () => document.activeElement?.closest?.(".hit")?.querySelector(".why-button")?.click(), group);
  bind("Enter", "open", () => false, group);
  bind("Escape", "back to the question", () => input.focus(), group);
}
