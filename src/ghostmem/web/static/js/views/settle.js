// What waits for a person's word: contradictions, what may be stale, and what is held back because it is not trusted.
import { get, isAborted, mayAdmin, memoryPath, session } from "../api.js";
import { drop, edit, mayChange, release, resolve } from "../actions.js";
import { words } from "../diff.js";
import { all, announce, el, one, put } from "../dom.js";
import { hostile } from "../hostile.js";
import { icon } from "../icons.js";
import { bind } from "../keys.js";
import { onChange } from "../live.js";
import { empty, failure, head, memoryLink, section, skeleton, time } from "../parts.js";
import { isChosen, ns } from "../state.js";
import { toastError } from "../toast.js";
import { SOURCES, count } from "../words.js";

export const title = "Settle";
export const styles = ["settle.css"];
const STEP = 40; // cards laid out at once

export function view(_, signal) {
  const place = el("div", { class: "settle", "aria-busy": "true" }, skeleton(4));
  const shown = { conflicts: STEP, stale: STEP, held: STEP };
  let asked = 0;

  async function load() {
    asked += 1;
    const mine = asked;
    try {
      const [found, quarantine] = await Promise.all([get("/conflicts", { ns: ns() }, signal), get("/quarantine", { ns: ns(), limit: 1000 }, signal)]);
      if (mine === asked && !signal.aborted) draw(found.conflicts, found.maybe_stale || [], quarantine.held);
    } catch (error) {
      if (!isAborted(error) && mine === asked) put(place, failure(error, load));
    } finally {
      if (mine === asked) place.setAttribute("aria-busy", "false");
    }
  }

  function draw(conflicts, stale, held) {
    const focus = document.activeElement?.closest?.(".decision")?.dataset.id;
    const at = all(".decision", place).findIndex((node) => node.dataset.id === focus);
    const total = conflicts.length + stale.length + held.length;
    announce(total ? `${count(total, "thing")} to settle` : "Nothing to settle");
    if (!total) {
      put(place, empty({ title: "Nothing to settle", text: "No memories contradict each other, none rests on what has ended, and nothing is held back.", picture: "check" }));
      return;
    }
    const part = (id, name, about, rows, card) => section(el("span", null, name, " ", rows.length > 0 && el("span", { class: "badge" }, rows.length)), el("p", { class: "soft settle-about" }, about),
      rows.length ? el("div", { class: "decisions" }, rows.slice(0, shown[id]).map(card)) : el("p", { class: "settle-none" }, icon("check", 16), "Nothing here."),
      rows.length > shown[id] && el("button", { class: "button", type: "button", onclick: () => { shown[id] += STEP * 5; draw(conflicts, stale, held); } }, `Show more of ${rows.length}`));
    put(
      place,
      part("conflicts", "Contradictions", "Both are current and cannot both be so. The newer one, or the user's own word, stands first.", conflicts, (one_) => contradiction(one_, load)),
      part("stale", "Maybe stale", "These rest on something that has ended or is contradicted.", stale, (one_) => doubt(one_, load, signal)),
      part("held", "Held back", "Not trusted, so no agent reads it. It is shown here as plain text; do not do what it says.", held, (one_) => suspect(one_, load)),
    );
    if (focus) (one(`.decision[data-id="${CSS.escape(focus)}"]`, place) || all(".decision", place)[Math.min(at, all(".decision", place).length - 1)])?.focus();
  }

  keys(place, signal);
  onChange((news) => { if (Object.keys(news.namespaces).some(isChosen)) load(); }, signal);
  load();
  return el("div", null, head("Settle", "What waits for a person's word"), place);
}

const card = (id, label, ...children) => el("article", { class: "decision card", tabindex: "-1", dataset: { id }, "aria-label": label }, children);

function contradiction(conflict, load) {
  const may = mayChange(conflict.ns);
  const [mine, theirs] = words(conflict.content, conflict.other_content, { marks: ["mark", "mark"], alike: 0.25 });
  const side = (key, text, marked, at, other, which) => el(
    "div",
    { class: "side" },
    el("div", { class: "side-head" }, el("h3", null, memoryLink(conflict.ns, key)), el("span", { class: "soft" }, time(at))),
    el("div", { class: "side-text" }, marked || text.slice(0, 4000)),
    may && el("button", { class: "button", type: "button", dataset: { choice: which }, onclick: () => resolve(conflict, key, other, false, load) }, icon("check"), el("span", null, "Keep this"), el("span", { class: "sr" }, `: ${key}`)),
  );
  return card(
    `${conflict.ns} ${conflict.key} ${conflict.other}`, `${conflict.key} contradicts ${conflict.other}`,
    el("div", { class: "decision-head" }, el("span", { class: "soft" }, conflict.ns), conflict.automatic && el("span", { class: "chip", title: "found by Ghost, not said by anybody" }, "inferred"), el("span", { class: "soft num grow" }, `weight ${conflict.weight.toFixed(2)}`)),
    el("div", { class: "sides" },
      side(conflict.key, conflict.content, mine, conflict.created_at, conflict.other, "1"),
      el("div", { class: "versus", "aria-hidden": "true" }, icon("settle")),
      side(conflict.other, conflict.other_content, theirs, conflict.other_created_at, conflict.key, "2")),
    may && el("div", { class: "decision-foot" }, el("button", { class: "button", type: "button", dataset: { choice: "b" }, onclick: () => resolve(conflict, conflict.key, conflict.other, true, load) }, "Both hold")),
  );
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

function suspect(held, load) {
  const { tags = [], source_kind: how, source_user: who, source_client: client } = held.fields || {};
  const may = mayChange(held.ns);
  const admin = mayAdmin(held.ns) || (may && session.everything && !session.namespaces.includes(held.ns));
  return card(
    held.id, `${held.key} is held back`,
    el("div", { class: "decision-head" }, el("h3", { class: "held-key" }, held.key), el("span", { class: "soft" }, held.ns), el("span", { class: "soft num grow" }, time(held.at))),
    el("ul", { class: "reasons", "aria-label": "Why" }, (held.reasons.length ? held.reasons : ["no reason was given"]).map((reason) => el("li", null, icon("warning", 15), reason))),
    hostile(held.content),
    el("div", { class: "decision-foot held-foot" },
      el("span", { class: "soft grow" }, [how && (SOURCES[how] || how), who && `by ${who}`, client && `through ${client}`, tags.length > 0 && `tagged ${tags.join(", ")}`].filter(Boolean).join(", ")),
      may && el("button", { class: "button", type: "button", dataset: { choice: "r" }, onclick: () => release(held, load) }, icon("check"), "Release"),
      admin && el("button", { class: "button", type: "button", dataset: { choice: "x" }, onclick: () => drop(held, load) }, icon("trash"), "Drop")),
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
  const group = { signal, group: "Settle" };
  bind("j", "next", move(1), group);
  bind("k", "previous", move(-1), group);
  for (const [key, label] of [["1", "keep the first one"], ["2", "keep the second one"], ["b", "both hold"], ["e", "edit what may be stale"], ["r", "release"], ["x", "drop"]]) {
    bind(key, label, () => { const button = current()?.querySelector(`[data-choice="${key}"]`); button?.click(); return Boolean(button); }, group);
  }
}
