// Health: how tidy the store is and what to do about it, and how its memories are distributed.
import { get, isAborted, session } from "../api.js";
import { el, put } from "../dom.js";
import { icon } from "../icons.js";
import { onChange } from "../live.js";
import { command, empty, failure, figure, head, memoryLink, section, skeleton } from "../parts.js";
import { bars, columns, gauge, lines } from "../plot.js";
import { href } from "../router.js";
import { isChosen, ns } from "../state.js";
import { FINDINGS, KINDS, SOURCES, TIERS, count, healthWords, number } from "../words.js";

export const title = "Health";
export const styles = ["plot.css", "health.css"];

export function view(_, signal) {
  const report = el("div", { class: "health-report", "aria-busy": "true" }, skeleton(3));
  const spread = el("div", null, skeleton(3));
  const turns = {}; // an answer to an older question must not come after a newer one

  async function load(name, place, path, fields, draw) {
    turns[name] = (turns[name] || 0) + 1;
    const mine = turns[name];
    try {
      const found = await get(path, { ns: ns(), ...fields }, signal);
      if (mine === turns[name]) put(place, draw(found));
      return mine === turns[name];
    } catch (error) {
      if (!isAborted(error) && mine === turns[name]) put(place, failure(error, () => all(false)));
      return false;
    }
  }

  /** The quick checks come first; those that read every text follow, and are quick when little has changed. */
  async function all(first) {
    const isShown = !first || (await load("audit", report, "/audit", { quick: true }, (found) => findings(found, true)));
    await load("shape", spread, "/shape", {}, shape); // one after the other: the first to be seen is the first to be ready
    if (!isShown) return;
    await load("audit", report, "/audit", {}, (found) => findings(found, false));
    report.setAttribute("aria-busy", "false");
  }

  let timer = 0;
  onChange((news) => {
    if (!Object.keys(news.namespaces).some(isChosen)) return;
    clearTimeout(timer); // many writes are one change
    timer = setTimeout(() => all(false), 400);
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  all(true);
  return el("div", { class: "health" }, head("Health", "Findings of the audit, and how memories are distributed"), report, section("Distribution", spread));
}

function findings({ score, memories, namespaces, edges, findings: found, unjudged = [], notes = [] }, isQuick) {
  if (!memories) return empty({ title: "Nothing to check yet", text: "Nothing is stored yet.", command: "ghost put -n agent:me -k tea 'The user drinks green tea.'", picture: "health" });
  const open = found.filter((one) => one.count > 0).sort((a, b) => b.cost - a.cost || b.count - a.count);
  const clean = found.filter((one) => !one.count);
  return [
    el("h2", { class: "sr" }, "Score"),
    el(
      "div", { class: "health-top" },
      gauge({ title: "Audit score", score, words: healthWords(score) }),
      el("div", { class: "figures" }, figure(number(memories), memories === 1 ? "memory" : "memories"), figure(number(namespaces), namespaces === 1 ? "namespace" : "namespaces"), figure(number(edges), edges === 1 ? "link" : "links"), figure(number(open.length), open.length === 1 ? "finding" : "findings")),
    ),
    open.length > 0 && section("Findings", el("ul", { class: "findings" }, open.map(finding))),
    el(
      "div", { class: "clean" },
      clean.map((one) => el("span", { class: "chip", title: FINDINGS[one.name]?.[1] }, icon("check", 14), FINDINGS[one.name]?.[2] || `no ${one.name}`)),
    ),
    isQuick
      ? el("p", { class: "note", id: "still-checking" }, icon("clock", 16), "Texts are still being checked for secrets and near duplicates…")
      : [...unjudged, ...notes].map((note) => el("p", { class: "note" }, icon("info", 16), `Not checked: ${note}`)),
  ];
}

function finding({ name, count: many, share, cost, examples = [], advice = "" }) {
  const [label, about] = FINDINGS[name] || [name.replaceAll("_", " "), ""];
  return el(
    "li", { class: "finding card", dataset: { name } },
    el("div", { class: "finding-head" }, el("h3", null, label), el("span", { class: "finding-cost" }, cost > 0 ? `−${cost.toFixed(1)} points` : "no points lost")),
    about && el("p", { class: "soft" }, about),
    el("div", { class: "finding-share" }, el("span", { class: "finding-meter", role: "img", "aria-label": `${(share * 100).toFixed(1)} per cent` }, el("i", { vars: { "--share": `${Math.min(100, share * 100)}%` } })), el("b", null, number(many)), share > 0 && el("span", { class: "soft" }, `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`)),
    examples.length > 0 && el("ul", { class: "examples" }, examples.map((one) => el("li", null, example(name, one))), many > examples.length && el("li", { class: "soft" }, `and ${number(many - examples.length)} more`)),
    name === "contradictions" || name === "quarantine" ? el("a", { class: "button small", href: href("settle", { list: name }) }, icon("settle", 16), name === "quarantine" ? "Open the quarantine" : "Decide them") : null,
    advice && (advice.startsWith("ghost ") ? command(advice) : el("p", { class: "note" }, icon("info", 16), `${advice[0].toUpperCase()}${advice.slice(1)}.`)),
  );
}

/** A link to an example, which is written NS/KEY; a name may itself hold a slash. */
function example(name, text) {
  const space = session.namespaces.filter((one) => text.startsWith(`${one}/`)).sort((a, b) => b.length - a.length)[0];
  if (!space || name === "quarantine") return text;
  return memoryLink(space, text.slice(space.length + 1), el("span", { class: "soft" }, `${space}/`), text.slice(space.length + 1));
}

function shape(found) {
  if (!found.total) return el("p", { class: "soft" }, "Nothing yet.");
  const named = (counts, table) => Object.entries(table).filter(([name]) => counts[name]).map(([name, { label }]) => ({ name: label, count: counts[name], tone: TIERS[name] ? name : "accent" }));
  const use = found.use || [];
  return [
    el("div", { class: "figures" }, figure(number(found.est_tokens), "tokens in total"), figure(number(found.pinned), "pinned"), figure(number(found.locked), "locked"), figure(number(found.ended), "ended")),
    el(
      "div", { class: "plots" },
      bars({ title: "Tiers", about: "By how established they are.", rows: named(found.tiers, TIERS) }),
      bars({ title: "Kinds", about: "Facts, episodes, procedures.", rows: named(found.kinds, KINDS) }),
      columns({ title: "Ages", about: "Stored up to this long ago.", rows: found.ages, short: (name) => name.replace(/^up to (a )?/, "") }),
      columns({ title: "Sizes", about: "In tokens.", rows: found.sizes.map((one) => ({ ...one, name: one.name.replace("up to ", "≤ ") })) }),
      el("div", { class: "plot-wide" }, lines({
        title: "Use by day", about: "Used: read on purpose. Shown: put into an answer or a context.", names: use.map((one) => one.day), short: (day) => day.slice(5),
        series: [{ label: "used", values: use.map((one) => one.used), tone: "accent" }, { label: "shown", values: use.map((one) => one.shown), tone: "soft", dash: "5 4" }],
      })),
      columns({ title: "Months", about: "When they were created.", rows: found.months }),
      columns({ title: "Importance", about: "From 0 to 1.", rows: found.importance }),
      bars({ title: "Sources", about: "Where they come from.", rows: found.sources.map((one) => ({ ...one, label: SOURCES[one.name] || one.name })) }),
      bars({ title: "Programs", about: "Which program stored them.", rows: found.clients }),
      found.namespaces.length > 1 && bars({ title: "Namespaces", about: count(found.namespaces.length, "namespace"), rows: found.namespaces }),
    ),
  ];
}
