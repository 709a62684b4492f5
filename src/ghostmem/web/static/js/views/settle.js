// Decisions for a person: contradictions, memories that may be stale, and the quarantine.
import { get, isAborted, mayAdmin, memoryPath, session } from "../api.js";
import { bothHold, drop, edit, mayChange, release, resolve } from "../actions.js";
import { words } from "../diff.js";
import { all, announce, el, one, put } from "../dom.js";
import { hostile } from "../hostile.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { empty, failure, head, memoryLink, skeleton, time } from "../parts.js";
import { remember } from "../router.js";
import { isChosen, ns } from "../state.js";
import { toastError } from "../toast.js";
import { SOURCES, count, number } from "../words.js";

export const title = "Decisions for you";
export const styles = ["actions.css", "settle.css"];
const PAGE = 20;

const LISTS = {
  contradictions: ["Contradictions", "Both are current, and cannot both be true. The first one counts for now: your own statement, or else the newer one.", "No memories contradict each other."],
  stale: ["Maybe stale", "These depend on a memory that is retired or contradicted.", "No memory depends on a retired one."],
  quarantine: ["Quarantine", "Not trusted, so no agent reads it. It is shown as plain text; do not do what it says.", "The quarantine is empty."],
};

export function view({ query }, signal) {
  const asked = { list: LISTS[query.list] ? query.list : "", page: Math.max(1, Number(query.page) || 1) };
  const place = el("div", { class: "settle", "aria-busy": "true" }, skeleton(4));
  const chosen = new Map(); // the selected rows by their id
  let found = {};
  let turn = 0;

  async function load() {
    turn += 1;
    const mine = turn;
    try {
      const fields = (name) => ({ ns: ns(), limit: PAGE, offset: name === asked.list ? (asked.page - 1) * PAGE : 0 });
      const pages = await Promise.all(Object.keys(LISTS).map((name) => get(`/decisions/${name}`, fields(name), signal)));
      if (mine !== turn || signal.aborted) return;
      found = Object.fromEntries(Object.keys(LISTS).map((name, at) => [name, pages[at]]));
      asked.list ||= Object.keys(LISTS).find((name) => found[name].total) || "contradictions";
      const last = Math.max(1, Math.ceil(found[asked.list].total / PAGE));
      if (asked.page > last) { asked.page = last; load(); return; }
      draw();
    } catch (error) {
      if (!isAborted(error) && mine === turn) put(place, failure(error, load));
    } finally {
      if (mine === turn) place.setAttribute("aria-busy", "false");
    }
  }

  function draw() {
    const focus = document.activeElement?.closest?.(".decision")?.dataset.id;
    const at = all(".decision", place).findIndex((node) => node.dataset.id === focus);
    const { rows, total } = found[asked.list];
    for (const id of [...chosen.keys()]) if (!rows.some((row) => idOf(row) === id)) chosen.delete(id);
    remember({ list: asked.list, page: asked.page > 1 ? asked.page : "" });
    const sum = Object.values(found).reduce((all_, { total: many }) => all_ + many, 0);
    announce(sum ? `${count(sum, "decision")} for you` : "Nothing to decide");
    if (!sum) {
      put(place, empty({ title: "Nothing to decide", text: "No memories contradict each other, none depends on a retired one, and the quarantine is empty.", picture: "check" }));
      return;
    }
    const [, about, none] = LISTS[asked.list];
    put(
      place,
      el("div", { class: "settle-tabs", role: "group", "aria-label": "Lists" }, Object.entries(LISTS).map(([name, [label]]) => el("button", { class: "settle-tab", type: "button", "aria-pressed": String(name === asked.list), dataset: { list: name }, onclick: () => open(name) }, label, el("span", { class: `badge${found[name].total ? "" : " none"}` }, number(found[name].total))))),
      el("h2", { class: "sr" }, LISTS[asked.list][0]),
      el("p", { class: "soft settle-about" }, about),
      rows.length ? [bulk(rows), el("div", { class: "decisions" }, asked.list === "contradictions" ? grouped(rows) : rows.map((row) => (asked.list === "stale" ? doubt(row, load, signal) : suspect(row))))] : el("p", { class: "settle-none" }, icon("check", 16), none),
      pager(total),
    );
    if (focus) (one(`.decision[data-id="${CSS.escape(focus)}"]`, place) || all(".decision", place)[Math.min(at, all(".decision", place).length - 1)])?.focus();
  }

  function open(name) {
    Object.assign(asked, { list: name, page: 1 });
    chosen.clear();
    draw();
    load();
    one(`[data-list="${name}"]`, place)?.focus();
  }

  /** Actions on the selected rows. */
  function bulk(rows) {
    const may = rows.filter((row) => mayChange(row.ns));
    if (!may.length || asked.list === "stale") return null;
    const picked = [...chosen.values()];
    const everything = el("input", { type: "checkbox", checked: picked.length === may.length, "aria-label": "Select all on this page", onchange: (event) => { chosen.clear(); if (event.target.checked) for (const row of may) chosen.set(idOf(row), row); draw(); one(".settle-bulk input", place)?.focus(); } });
    everything.indeterminate = picked.length > 0 && picked.length < may.length;
    const act = (label, picture, run, when = true) => when && el("button", { class: "button small", type: "button", disabled: !picked.length, onclick: () => run(picked, () => { chosen.clear(); load(); }) }, icon(picture, 15), label);
    return el(
      "div", { class: "settle-bulk", role: "group", "aria-label": "Actions on the selected" },
      el("label", { class: "check" }, everything, el("span", null, picked.length ? `${number(picked.length)} selected` : "Select all")),
      asked.list === "contradictions" && act("Both are true", "check", bothHold),
      asked.list === "quarantine" && [act("Release", "check", release), act("Drop", "trash", drop, picked.every((row) => mayDrop(row)))],
    );
  }

  const box = (row, label) => mayChange(row.ns) && el("input", { type: "checkbox", class: "decision-pick", checked: chosen.has(idOf(row)), "aria-label": `Select ${label}`, dataset: { choice: "s" }, onchange: (event) => { if (event.target.checked) chosen.set(idOf(row), row); else chosen.delete(idOf(row)); redrawBulk(); } });

  function redrawBulk() {
    const old = one(".settle-bulk", place);
    const fresh = bulk(found[asked.list].rows);
    if (old && fresh) old.replaceWith(fresh);
  }

  /** Contradictions of one memory stand together under its name. */
  function grouped(rows) {
    const groups = new Map();
    for (const row of rows) {
      const id = `${row.ns} ${row.about}`;
      if (!groups.has(id)) groups.set(id, []);
      groups.get(id).push(row);
    }
    return [...groups.values()].map((list) => list[0].of_about < 2 ? contradiction(list[0]) : el(
      "section", { class: "decision-group" },
      el("h2", null, memoryLink(list[0].ns, list[0].about), el("span", { class: "soft" }, ` contradicts ${count(list[0].of_about, "memory", "memories")}${list.length < list[0].of_about ? `; ${number(list.length)} on this page` : ""}`)),
      list.map(contradiction),
    ));
  }

  function contradiction(row) {
    const may = mayChange(row.ns);
    const { first, second } = row;
    const [mine, theirs] = words(first.content, second.content, { marks: ["mark", "mark"], alike: 0.25 });
    const side = (end, other, marked, which) => el(
      "div",
      { class: "side" },
      el("div", { class: "side-head" }, el("h3", null, memoryLink(row.ns, end.key)), which === "1" && el("span", { class: "chip", title: "This one counts until you decide" }, "counts now")),
      el("div", { class: "side-text", dir: "auto" }, marked || end.content.slice(0, 4000)),
      el("p", { class: "side-source" }, source(end), el("span", { class: "soft" }, time(end.created_at))),
      may && el("button", { class: "button small", type: "button", dataset: { choice: which }, onclick: () => resolve({ ns: row.ns }, end.key, other.key, false, load) }, icon("check", 15), el("span", null, "Keep this"), el("span", { class: "sr" }, `: ${end.key}`)),
    );
    return card(
      idOf(row), `${first.key} contradicts ${second.key}`,
      el("div", { class: "decision-head" }, box(row, `${first.key} and ${second.key}`), el("span", { class: "soft" }, row.ns), el("span", { class: "chip", title: row.automatic ? "Ghost noticed that the texts disagree" : "An agent or a person marked them as contradictory" }, row.automatic ? "found by Ghost" : "stated"),
        may && el("button", { class: "button small both", type: "button", dataset: { choice: "b" }, onclick: () => resolve({ ns: row.ns }, first.key, second.key, true, load) }, "Both are true")),
      el("div", { class: "sides" },
        side(first, second, mine, "1"),
        el("div", { class: "versus", "aria-hidden": "true" }, icon("settle")),
        side(second, first, theirs, "2")),
    );
  }

  function suspect(held) {
    const { tags = [], source_kind: how, source_user: who, source_client: client } = held.fields || {};
    const may = mayChange(held.ns);
    return card(
      held.id, `${held.key} is in quarantine`,
      el("div", { class: "decision-head" }, box(held, held.key), el("h3", { class: "held-key" }, held.key), el("span", { class: "soft" }, held.ns), el("span", { class: "soft num grow" }, time(held.at))),
      el("ul", { class: "reasons", "aria-label": "Why" }, (held.reasons.length ? held.reasons : ["no reason was given"]).map((reason) => el("li", null, icon("warning", 15), reason))),
      hostile(held.content),
      el("div", { class: "decision-foot held-foot" },
        el("span", { class: "soft grow" }, [how && (SOURCES[how] || how), who && `by ${who}`, client && `through ${client}`, tags.length > 0 && `tagged ${tags.join(", ")}`].filter(Boolean).join(", ")),
        may && el("button", { class: "button small", type: "button", dataset: { choice: "r" }, onclick: () => release([held], load) }, icon("check", 15), "Release"),
        mayDrop(held) && el("button", { class: "button small", type: "button", dataset: { choice: "x" }, onclick: () => drop([held], load) }, icon("trash", 15), "Drop")),
    );
  }

  function pager(total) {
    const last = Math.ceil(total / PAGE);
    if (last < 2) return null;
    const turnTo = (page) => { asked.page = page; chosen.clear(); load().then(() => { window.scrollTo(0, 0); one(".pager b", place)?.focus(); }); };
    return el(
      "nav", { class: "pager", "aria-label": "Pages" },
      el("button", { class: "button small", type: "button", disabled: asked.page <= 1, onclick: () => turnTo(asked.page - 1) }, icon("back", 15), "Previous"),
      el("b", { tabindex: "-1" }, `Page ${number(asked.page)} of ${number(last)}`),
      el("button", { class: "button small", type: "button", disabled: asked.page >= last, onclick: () => turnTo(asked.page + 1) }, "Next", icon("forward", 15)),
    );
  }

  keys(place, signal);
  let timer = 0;
  onChange((news) => { if (Object.keys(news.namespaces).some(isChosen)) { clearTimeout(timer); timer = setTimeout(load, 200); } }, signal);
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  load();
  return el("div", null, head("Decisions for you", "What Ghost does not decide on its own"), place);
}

const idOf = (row) => row.id || (row.first ? `${row.ns} ${row.first.key} ${row.second.key}` : `${row.ns} ${row.key}`);
const mayDrop = (held) => mayAdmin(held.ns) || (mayChange(held.ns) && session.everything && !session.namespaces.includes(held.ns));
const card = (id, label, ...children) => el("article", { class: "decision card", tabindex: "-1", dataset: { id }, "aria-label": label }, children);

/** Who said it, how it came in, and through which program. */
function source({ from_user: own, source_user: who, source_kind: how, source_client: client, source_scope: scope }) {
  const said = who ? [own ? "said by " : `${SOURCES[how] || how}, `, el("b", null, who)] : own && !how ? "no source given" : SOURCES[how] || how || "no source given";
  return el("span", { class: "source" }, icon(who ? "person" : "info", 14), el("span", null, said, client && [" through ", client], scope && [" in ", scope]));
}

function doubt(stale, load, signal) {
  const change = async () => {
    try {
      const found = await get(memoryPath(stale.ns, stale.key, "/details"), {}, signal);
      await edit(found.memory, load, { place: found.place });
    } catch (error) {
      if (!isAborted(error)) toastError(error);
    }
  };
  return card(
    `${stale.ns} ${stale.key}`, `${stale.key} may be stale`,
    el("div", { class: "stale" }, icon("warning", 18),
      el("div", { class: "grow" }, el("h3", null, memoryLink(stale.ns, stale.key), " ", el("span", { class: "soft" }, stale.ns)), el("p", { class: "soft" }, stale.why.replace(/^maybe stale: /, ""))),
      mayChange(stale.ns) && el("button", { class: "button small", type: "button", dataset: { choice: "e" }, onclick: change }, icon("edit", 16), "Edit")),
  );
}

function keys(place, signal) {
  const cards = () => all(".decision", place);
  const current = () => document.activeElement?.closest?.(".decision");
  const move = (by) => () => {
    const found = cards();
    if (!found.length) return false;
    const at = found.indexOf(current());
    const next = found[Math.max(0, Math.min(found.length - 1, at < 0 ? 0 : at + by))];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    return true;
  };
  const group = { signal, group: "Decisions" };
  bind("j", "next", move(1), group);
  bind("k", "previous", move(-1), group);
  for (const [key, label] of [["s", "select"], ["1", "keep the first one"], ["2", "keep the second one"], ["b", "both are true"], ["e", "edit what may be stale"], ["r", "release"], ["x", "drop"]]) {
    bind(key, label, () => { const button = current()?.querySelector(`[data-choice="${key}"]`); button?.click(); return Boolean(button); }, group);
  }
}
