// The context bench: a question and a budget, and what an agent would be handed: which memories, why, for how many tokens, and
// what was left out.
import { isAborted, post } from "../api.js";
import { announce, el, put } from "../dom.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { markdown } from "../md.js";
import { checkbox, coded, command, empty, failure, field, head, kindChip, marks, memoryLink, skeleton, tierChip, time } from "../parts.js";
import { receipt } from "../receipt.js";
import { remember } from "../router.js";
import { isChosen, ns } from "../state.js";
import { toast } from "../toast.js";
import { count, number } from "../words.js";

export const title = "Context";
export const styles = ["context.css"];
export const wide = true;

// how a memory came into the pack, and what that means
const STAGES = {
  pinned: ["pinned", "always there"],
  search: ["found", "answers the question"],
  file: ["file", "is about a file you work on"],
  edge: ["linked", "is linked to a memory that was found"],
  correction: ["correction", "corrects a memory that was found"],
  "own words": ["own words", "said by the person who is named"],
  parent: ["summary", "summarises memories that were found"],
  child: ["part", "is part of a summary that was found"],
};
// why a memory was left out, in words
const REASONS = {
  budget: "does not fit into the budget",
  floor: "too weak a match",
  superseded: "replaced by a newer memory",
  "suppressed by its summary": "its summary is shown instead",
  "superseded by a newer memory that did not fit": "replaced by a newer memory that does not fit",
  expired: "expired",
};
const MAX_LEFT = 20; // left-out memories shown at first
const BUDGETS = [250, 500, 1000, 2000, 4000, 8000];

export function view({ query }, signal) {
  const asked = { q: query.q || "", budget: query.budget || "1000", other: query.other || "", pinned: query.pinned || "1", expand: query.expand || "1" };
  const result = el("div", { class: "packs", id: "packs", "aria-live": "off" });
  const input = el("input", { class: "search-input", id: "question", type: "search", value: asked.q, placeholder: "What is the agent about to do?", autocomplete: "off", spellcheck: "false", dataset: { focus: "" }, "aria-label": "Question", enterkeyhint: "go" });
  const budget = number_("budget", asked.budget, "Budget in tokens");
  const other = number_("other", asked.other || String(Math.max(100, Math.round(Number(asked.budget) / 2))), "Second budget in tokens");
  const second = field("Compared with", other);
  const compare = checkbox("Compare two budgets", { name: "compare", checked: Boolean(asked.other), onchange: () => { second.hidden = !box("compare").checked; if (asked.q) ask(); } });
  const form = el(
    "form", { class: "bench", role: "search", onsubmit: (event) => { event.preventDefault(); ask(); } },
    el("div", { class: "search-form" }, el("div", { class: "search-box" }, icon("context", 20), input), el("button", { class: "button primary", type: "submit" }, "Assemble")),
    el(
      "div", { class: "bench-options" },
      field("Budget in tokens", budget), second, compare,
      checkbox("With pinned memories", { name: "pinned", checked: asked.pinned !== "0", onchange: again }),
      checkbox("Follow links", { name: "expand", checked: asked.expand !== "0", onchange: again }),
      el("datalist", { id: "budgets" }, BUDGETS.map((one) => el("option", { value: one }))),
    ),
  );
  second.hidden = !asked.other;
  let running = new AbortController();
  signal.addEventListener("abort", () => running.abort(), { once: true });

  function number_(name, value, label) {
    return el("input", { class: "input", type: "number", name, value, min: 1, max: 1000000, step: 1, list: "budgets", required: true, "aria-label": label, onchange: again });
  }
  function box(name) {
    return form.elements.namedItem(name);
  }
  function again() {
    if (asked.q) ask();
  }

  async function ask(quiet = false) {
    asked.q = input.value.trim();
    const budgets = [budget, ...(box("compare").checked ? [other] : [])];
    if (!asked.q) { put(result, nothingAsked()); return; }
    if (budgets.some((one) => !one.checkValidity())) { budgets.find((one) => !one.checkValidity()).reportValidity(); return; }
    Object.assign(asked, { budget: budget.value, other: box("compare").checked ? other.value : "", pinned: box("pinned").checked ? "" : "0", expand: box("expand").checked ? "" : "0" });
    remember({ ...asked, budget: asked.budget === "1000" ? "" : asked.budget });
    running.abort();
    running = new AbortController();
    const mine = running.signal;
    result.setAttribute("aria-busy", "true");
    if (!quiet && !result.querySelector(".pack")) put(result, skeleton(4));
    try {
      const sent = (tokens) => post("/context", {
        query: asked.q, budget: Number(tokens), render: "block", texts: true, exclude_pinned: !box("pinned").checked, expand: box("expand").checked, ...(ns() ? { ns: ns() } : {}),
      }, mine);
      const packs = await Promise.all(budgets.map((one) => sent(one.value)));
      if (mine.aborted) return;
      const keys = packs.map((pack) => new Set(pack.memories.map((one) => one.id)));
      result.classList.toggle("two", packs.length > 1);
      put(result, packs.map((pack, place) => packed(pack, asked, keys[1 - place] || null)));
      if (!quiet) announce(packs.map((pack) => `${count(pack.memories.length, "memory", "memories")}, ${number(pack.used)} of ${number(pack.budget)} tokens`).join("; "));
    } catch (error) {
      if (!isAborted(error)) put(result, failure(error, ask));
    } finally {
      if (!mine.aborted) result.setAttribute("aria-busy", "false");
    }
  }

  onChange((news) => { if (asked.q && Object.keys(news.namespaces).some(isChosen)) ask(true); }, signal);
  bind("/", "to the question", () => { input.focus(); input.select(); }, { signal, group: "Context" });
  if (asked.q) ask();
  else put(result, nothingAsked());
  return el("div", { class: "context" }, head("Context", "What an agent is given for a question, within a budget of tokens"), form, result);
}

function nothingAsked() {
  return empty({ title: "Ask as an agent would", text: "Type what the agent is about to do. You see which memories it is given, why each is there, and what did not fit.", command: 'ghost context -n "*" "how do payments work"', picture: "context" });
}

/** One pack: the bar, the stages, the memories, what was left out. */
function packed(pack, asked, other) {
  const cards = pack.memories.map((memory, place) => card(memory, place, other));
  const body = el("ol", { class: "packed" }, cards);
  const text = el("pre", { class: "pack-text", tabindex: 0, "aria-label": "The pack as text", hidden: true }, pack.text || "");
  const tabs = el("div", { class: "segmented", role: "group", "aria-label": "Shown as" }, tab("Rendered", true), tab("As text", false));
  function tab(label, pressed) {
    return el("button", { class: "button small", type: "button", "aria-pressed": String(pressed), onclick: (event) => {
      const asText = label === "As text";
      text.hidden = !asText;
      body.hidden = asText;
      for (const one of tabs.children) one.setAttribute("aria-pressed", String(one === event.currentTarget));
    } }, label);
  }
  async function copy() {
    try {
      await navigator.clipboard.writeText(pack.text || "");
      toast("Copied the pack as text");
    } catch { text.hidden = false; body.hidden = true; }
  }
  if (!pack.memories.length) {
    return el("section", { class: "pack", "aria-label": `Pack of ${number(pack.budget)} tokens` }, bar(pack, []), empty({ title: "Nothing relevant", text: "No memory answers this well enough, so an agent is given nothing.", picture: "context" }), notes(pack), leftOut(pack));
  }
  return el(
    "section", { class: "pack", "aria-label": `Pack of ${number(pack.budget)} tokens` },
    bar(pack, cards),
    stages(pack),
    notes(pack),
    el("div", { class: "pack-tools" }, tabs, el("button", { class: "button small", type: "button", onclick: copy }, icon("copy", 15), "Copy as text")),
    body, text,
    leftOut(pack),
    el("details", { class: "same" }, el("summary", null, "The same in a terminal"), command(`ghost context ${quoted(asked.q)} -n ${quoted(ns() || "*")} --budget ${pack.budget}${asked.pinned === "0" ? " --exclude-pinned" : ""}${asked.expand === "0" ? " --no-edges" : ""} --render block`)),
  );
}

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const stageOf = (memory) => STAGES[memory.why?.stage] || [memory.why?.stage || "found", ""];
const slug = (stage) => (STAGES[stage] ? stage.replace(" ", "-") : "search");

/** The budget as a bar with a segment for each memory; pointing at one, or focusing it, tells of it. */
function bar(pack, cards) {
  const resting = `${Math.round((100 * pack.used) / pack.budget)} % of the budget is used. Each segment is a memory: point at one to see which.`;
  const tip = el("p", { class: "bar-tip soft", role: "status" }, resting);
  const segments = pack.memories.map((memory, place) => {
    const [label, about] = stageOf(memory);
    const said = `${place + 1}. ${memory.key}: ${number(memory.tokens)} tokens, ${label}${about ? ` (${about})` : ""}`;
    const tell = () => { tip.textContent = said; };
    const rest = () => { tip.textContent = resting; };
    return el("button", {
      class: `segment stage-${slug(memory.why?.stage)}`, type: "button", "aria-label": said, vars: { "--share": `${(100 * memory.tokens) / pack.budget}%` },
      onmouseenter: tell, onmouseleave: rest, onfocus: tell, onblur: rest,
      onclick: () => { cards[place].scrollIntoView({ block: "center" }); cards[place].querySelector("a").focus(); },
    }, el("span", null, place + 1));
  });
  return el(
    "div", { class: "budget" },
    el("div", { class: "budget-head" }, el("h2", null, `${number(pack.used)} `, el("span", { class: "soft" }, `of ${number(pack.budget)} tokens`)), el("span", { class: "soft" }, `${count(pack.memories.length, "memory", "memories")}, ${number(pack.skipped)} left out`)),
    el("div", { class: "token-bar", role: "group", "aria-label": "Tokens by memory" }, segments),
    tip,
  );
}

function stages(pack) {
  const rows = Object.entries(pack.stages || {});
  if (!rows.length) return null;
  return el("ul", { class: "stages" }, rows.map(([name, one]) => el(
    "li", { title: STAGES[name]?.[1] },
    el("i", { class: `stage-mark stage-${slug(name)}`, "aria-hidden": "true" }), el("b", null, STAGES[name]?.[0] || name),
    el("span", { class: "soft" }, `${number(one.packed)} of ${number(one.candidates)}, ${number(one.tokens)} tokens`),
  )));
}

function notes(pack) {
  const said = [...(pack.notes || []), ...(pack.compaction_suggested ? [`Worth tidying: ${pack.compaction_reason || "reflect or consolidate would shorten this"}`] : [])];
  return said.map((note) => el("p", { class: "note" }, icon("info", 16), el("span", null, coded(note))));
}

function card(memory, place, other) {
  const [label, about] = stageOf(memory);
  const why = el("div", { class: "why" });
  const box = el("details", { class: "why-box", ontoggle: () => { if (box.open && !why.childElementCount) why.append(receipt({ ...memory.why, multiplied: true, score: memory.score, stage: `${label}${about ? `: ${about}` : ""}` })); } }, el("summary", null, icon("chevron", 14), "Why it is there"), why);
  return el(
    "li", { class: `packed-card stage-${slug(memory.why?.stage)}`, dataset: { key: memory.key } },
    el("div", { class: "packed-head" }, el("span", { class: "place" }, place + 1), el("h3", null, memoryLink(memory.ns, memory.key)), marks(memory), el("span", { class: "soft" }, memory.ns), el("span", { class: "packed-tokens" }, `${number(memory.tokens)} tokens`)),
    el("div", { class: "packed-chips" }, el("span", { class: "chip" }, label), tierChip(memory.tier), kindChip(memory.kind), memory.excerpt && el("span", { class: "chip" }, "excerpt"), other && !other.has(memory.id) && el("span", { class: "chip only" }, "only here"), el("span", { class: "soft" }, time(memory.created_at))),
    markdown(memory.content),
    memory.contradicts?.length > 0 && el("p", { class: "hit-note" }, icon("warning", 16), `contradicts ${memory.contradicts.join(", ")}`),
    memory.summary_of?.length > 0 && el("p", { class: "soft" }, `sums up ${memory.summary_of.join(", ")}`),
    box,
  );
}

/** Memories that came near, each with its namespace, text and the reason. */
function leftOut({ left_out: left = [], skipped }) {
  if (!skipped) return null;
  const list = el("ul");
  const row = (one) => el(
    "li", null,
    el("div", { class: "left-head" }, el("h3", null, memoryLink(one.ns, one.key)), el("span", { class: "soft" }, one.ns), el("span", { class: "soft num" }, one.score.toFixed(3))),
    one.summary && el("p", { class: "left-text", dir: "auto" }, one.summary),
    el("p", { class: "left-why soft" }, REASONS[one.reason] || one.reason, one.by && [": ", memoryLink(one.ns, one.by)]),
  );
  const show = (many) => put(list, left.slice(0, many).map(row), left.length > many && el("li", null, el("button", { class: "button small", type: "button", onclick: () => show(left.length) }, `Show all ${number(left.length)}`)));
  show(MAX_LEFT);
  return el(
    "details", { class: "left-out", open: true },
    el("summary", null, icon("chevron", 14), `Left out: ${number(skipped)}`),
    list,
    skipped > left.length && el("p", { class: "soft" }, `and ${number(skipped - left.length)} more`),
  );
}
