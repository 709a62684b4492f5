// The page that opens first: search, what changed, what waits for a decision, health in short, and the namespaces.
import { get, isAborted } from "../api.js";
import { words } from "../diff.js";
import { announce, el, put } from "../dom.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { coded, command, empty, failure, head, kindChip, marks, memoryLink, skeleton, time } from "../parts.js";
import { go, href } from "../router.js";
import { chooseNs, isChosen, ns } from "../state.js";
import { FINDINGS, count, healthWords, number } from "../words.js";

export const title = "Home";
export const styles = ["home.css"];

const CHANGES = { added: ["plus", "Added"], updated: ["edit", "Updated"], deleted: ["trash", "Deleted"], restored: ["undo", "Restored"] };
const SPACES = 8; // namespaces listed at first
const CHANGED = 6; // changes listed

export function view(_, signal) {
  const place = el("div", { class: "home-place", "aria-busy": "true" }, skeleton(4));
  const health = el("div", { class: "home-health" }, el("p", { class: "soft" }, "Checking…"));
  const input = el("input", { class: "search-input", id: "home-query", type: "search", placeholder: "Search memories", autocomplete: "off", spellcheck: "false", dataset: { focus: "" }, "aria-label": "Search memories", enterkeyhint: "search" });
  const form = el(
    "form", { class: "home-search", role: "search", onsubmit: (event) => { event.preventDefault(); go("search", { q: input.value.trim() }); } },
    el("div", { class: "home-box" }, icon("search", 20), input, el("kbd", { "aria-hidden": "true" }, "/")),
    el("button", { class: "button primary", type: "submit" }, "Search"),
  );
  let turn = 0; // an answer to an older question must not come after a newer one
  let judged = false;
  let later = 0;

  async function load() {
    turn += 1;
    const mine = turn;
    try {
      const found = await get("/home", { ns: ns() }, signal);
      if (mine !== turn) return;
      put(place, found.total ? overview(found, health) : nothing());
      announce(found.total ? `${count(found.total, "memory", "memories")}` : "Nothing is stored yet");
      if (found.total && !judged) { judged = true; later = setTimeout(judge, 400); } // a search that is typed at once comes first
    } catch (error) {
      if (!isAborted(error) && mine === turn) put(place, failure(error, load));
    } finally {
      if (mine === turn) place.setAttribute("aria-busy", "false");
    }
  }

  async function judge() {
    try {
      put(health, inShort(await get("/audit", { ns: ns(), quick: true }, signal)));
    } catch (error) {
      if (!isAborted(error)) put(health, el("p", { class: "soft" }, error.message));
    }
  }

  let timer = 0;
  onChange((news) => {
    if (!Object.keys(news.namespaces).some(isChosen)) return;
    clearTimeout(timer); // many writes are one change
    timer = setTimeout(load, 300);
  }, signal);
  signal.addEventListener("abort", () => { clearTimeout(timer); clearTimeout(later); }, { once: true });
  bind("/", "search", () => { input.focus(); input.select(); }, { signal, group: "Home" });
  load();
  return el("div", { class: "home" }, el("h1", { class: "sr" }, "Home"), form, place);
}

function nothing() {
  return empty({
    title: "Nothing is stored yet", text: "Connect an agent, or store a first memory yourself. What is stored appears here at once.", command: "ghost setup claude-code --hooks", picture: "search",
    action: el("div", { class: "home-first" }, command("ghost put -n agent:me -k tea 'The user drinks green tea.'")),
  });
}

function overview(found, health) {
  const { today, more } = found;
  const changed = Object.values(today).reduce((sum, many) => sum + many, 0);
  const waiting = found.contradictions + found.quarantine;
  return [
    el(
      "dl", { class: "home-figures" },
      tile(number(found.total), found.total === 1 ? "memory" : "memories", `${number(found.est_tokens)} tokens`),
      tile(number(found.namespaces.length), found.namespaces.length === 1 ? "namespace" : "namespaces", `${number(found.pinned)} pinned`),
      tile(`${number(changed)}${more ? "+" : ""}`, "changed in 24 hours", said(today, more ? "+" : "") || "nothing"),
      tile(number(waiting), waiting === 1 ? "decision for you" : "decisions for you", waiting ? [found.contradictions && count(found.contradictions, "contradiction"), found.quarantine && `${number(found.quarantine)} in quarantine`].filter(Boolean).join(", ") : "nothing waits", waiting > 0),
    ),
    el(
      "div", { class: "home-columns" },
      el(
        "div", { class: "home-main" },
        found.changes.length > 0 && part("Changed recently", el("a", { href: href("timeline") }, "Timeline"), el("ul", { class: "home-list" }, found.changes.slice(0, CHANGED).map(changeRow))),
        part("New memories", el("a", { href: href("search") }, "All memories"), found.added.length ? el("ul", { class: "home-list" }, found.added.map(newRow)) : el("p", { class: "soft" }, "None in the last changes.")),
      ),
      el(
        "div", { class: "home-side" },
        part("Decisions for you", null, decisions(found)),
        part("Health", el("a", { href: href("health") }, "Report"), health),
        part("Namespaces", null, namespaces(found.namespaces)),
      ),
    ),
  ];
}

const said = (today, more) => Object.keys(CHANGES).filter((name) => today[name]).map((name) => `${number(today[name])}${more} ${name}`).join(", ");
const part = (name, link, ...children) => el("section", { class: "home-part" }, el("div", { class: "home-part-head" }, el("h2", null, name), link), children);
const tile = (value, label, about, strong = false) => el("div", { class: `home-tile${strong ? " strong" : ""}` }, el("dt", null, label), el("dd", null, el("b", null, value), el("span", null, about)));

function changeRow(change) {
  const [picture, label] = CHANGES[change.change] || ["info", change.change];
  const [less, moreNodes] = change.before ? words(change.before, change.summary, { marks: ["del", "ins"], alike: 0.2 }) : [null, null];
  return el(
    "li", { class: `home-row change-${change.change}` },
    el("span", { class: "home-mark", title: label }, icon(picture, 15), el("span", { class: "sr" }, label)),
    el(
      "div", { class: "home-text" },
      rowHead(change),
      change.before && change.before !== change.summary
        ? [el("p", { class: "home-before", dir: "auto" }, less || el("del", null, change.before)), el("p", { class: "home-after", dir: "auto" }, moreNodes || el("ins", null, change.summary))]
        : el("p", { class: "home-after", dir: "auto" }, coded(change.summary)),
    ),
  );
}

function newRow(change) {
  return el(
    "li", { class: "home-row" },
    el("span", { class: "home-mark", title: "Added" }, icon("plus", 15), el("span", { class: "sr" }, "Added")),
    el("div", { class: "home-text" }, rowHead(change), el("p", { class: "home-after", dir: "auto" }, coded(change.summary))),
  );
}

const rowHead = (change) => el(
  "div", { class: "home-row-head" },
  el("h3", null, memoryLink(change.ns, change.key)), marks(change), el("span", { class: "soft" }, change.ns), change.change === "added" && kindChip(change.kind),
  el("span", { class: "soft home-when" }, change.source_user && [change.source_user, " · "], time(change.at)),
);

function decisions({ contradictions, quarantine }) {
  if (!contradictions && !quarantine) return el("p", { class: "home-none" }, icon("check", 16), "There is nothing to decide.");
  const row = (many, label, anchor) => many > 0 && el("li", null, el("a", { href: href("settle", { list: anchor }) }, el("span", null, label), el("b", null, number(many))));
  return el("ul", { class: "home-links" }, row(contradictions, contradictions === 1 ? "Contradiction" : "Contradictions", "contradictions"), row(quarantine, "In quarantine", "quarantine"));
}

const DECISIONS = ["contradictions", "quarantine"]; // they have a list of their own

/** Health in two lines: the score in words, and the findings that cost most. */
function inShort({ score, findings }) {
  const costly = findings.filter((one) => one.cost > 0.5 && !DECISIONS.includes(one.name)).sort((a, b) => b.cost - a.cost).slice(0, 3);
  return [
    el("p", { class: `home-score tone-${score >= 85 ? "good" : score >= 60 ? "warn" : "bad"}` }, el("b", null, score), el("span", { class: "soft" }, " of 100 · "), healthWords(score)),
    costly.length > 0 && el("ul", { class: "home-links" }, costly.map((one) => el("li", null, el("a", { href: href("health") }, el("span", null, FINDINGS[one.name]?.[0] || one.name), el("b", null, number(one.count)))))),
  ];
}

function namespaces(all) {
  const most = Math.max(1, ...all.map((one) => one.memories));
  const list = el("ul", { class: "home-spaces" });
  const draw = (many) => put(
    list,
    all.slice(0, many).map((one) => el("li", null, el(
      "button", { type: "button", class: "home-space", title: `Choose ${one.ns}`, onclick: () => { chooseNs(one.ns); go("search"); } },
      el("span", { class: "home-space-name" }, one.ns), el("b", null, number(one.memories)), el("i", { "aria-hidden": "true", vars: { "--share": `${(100 * one.memories) / most}%` } }),
      el("span", { class: "soft" }, one.changed ? `${number(one.changed)}${one.more ? "+" : ""} changed in 24 hours` : ["newest ", time(one.newest)]),
    ))),
    all.length > many && el("li", null, el("button", { class: "button small", type: "button", onclick: () => draw(all.length) }, `Show all ${number(all.length)}`)),
  );
  draw(SPACES);
  return list;
}
