// Lifecycle: how memories moved between tiers, what the rules would do now, what they did, and the way back.
import { get, isAborted, mayWrite, post, session } from "../api.js";
import { changeGroups, opLabel, ruleInWords } from "../changes.js";
import { ask } from "../dialog.js";
import { announce, el, put } from "../dom.js";
import { icon } from "../icons.js";
import { onChange } from "../live.js";
import { command, empty, failure, figure, head, section, select, skeleton, time } from "../parts.js";
import { signedColumns, sparkline } from "../plot.js";
import { remember } from "../router.js";
import { isChosen, ns } from "../state.js";
import { toast, toastError } from "../toast.js";
import { TIERS, count, number } from "../words.js";

export const title = "Lifecycle";
export const styles = ["plot.css", "lifecycle.css"];

const DAYS = [[14, "two weeks"], [30, "a month"], [90, "three months"], [366, "a year"]];

export function view({ query }, signal) {
  const asked = { days: Number(query.days) || 30 };
  const flow = el("div", null, skeleton(3));
  const ahead = el("div", { id: "ahead" });
  const runs = el("div", null, skeleton(3, "line"));
  const rules = el("div", null, skeleton(3, "line"));
  const may = !session.read_only && session.namespaces.filter(isChosen).every(mayWrite);
  const scope = () => ns() || "all namespaces";

  let turn = 0; // an answer to an older question must not come after a newer one

  async function load() {
    turn += 1;
    const mine = turn;
    try {
      const found = await get("/flow", { ns: ns(), days: asked.days }, signal);
      if (mine !== turn) return;
      put(flow, tiersOverTime(found));
      drawRuns(found.runs);
    } catch (error) {
      if (isAborted(error) || mine !== turn) return;
      put(flow, failure(error, load));
      put(runs);
    }
  }

  async function loadRules() {
    try {
      put(rules, ruleList((await get("/rules", {}, signal)).rules));
    } catch (error) {
      if (!isAborted(error)) put(rules, failure(error, loadRules));
    }
  }

  function drawRuns(found) {
    const open = new Set([...runs.querySelectorAll("details[open]")].map((one) => one.dataset.run));
    put(runs, found.length
      ? el("ol", { class: "runs" }, found.map((one) => run(one, open.has(one.run.id), { may, undo, signal })))
      : empty({ title: "The rules have not run yet", text: "They run when a session of an agent ends, or when you run them.", command: "ghost reflect --dry-run", picture: "lifecycle" }));
  }

  async function look() {
    put(ahead, skeleton(2, "line"));
    try {
      put(ahead, forecast(await post("/reflect", body(true), signal)));
    } catch (error) {
      if (!isAborted(error)) put(ahead, failure(error, look));
    }
  }

  const body = (dry) => ({ dry_run: dry, ...(ns() ? { ns: ns() } : {}) });

  function forecast(found) {
    const changes = found.changes || [];
    announce(changes.length ? `${count(changes.length, "change")} would be made` : "Nothing would change");
    if (!changes.length) return el("p", { class: "note" }, icon("check", 16), `Nothing would change: ${count(found.memories_evaluated, "memory", "memories")} looked at.`);
    return [
      el("p", { class: "soft" }, `Of ${count(found.memories_evaluated, "memory", "memories")}, ${count(changes.length, "change")} would be made. Nothing has happened yet.`),
      changeGroups(changes),
      (found.errors || []).map((one) => el("p", { class: "problem" }, String(one))),
      may
        ? el("div", { class: "ahead-actions" }, el("button", { class: "button primary", type: "button", onclick: () => reflect(changes.length) }, icon("play", 16), "Run it"), el("button", { class: "button quiet", type: "button", onclick: () => put(ahead) }, "Cancel"))
        : [el("p", { class: "soft" }, "This page may not run the rules here. In a terminal:"), command(`ghost reflect -n ${ns() ? `"${ns()}"` : "'*'"}`)],
    ];
  }

  async function reflect(many) {
    const sure = await ask({ title: "Run the rules now?", body: `${count(many, "change")} will be made in ${scope()}. The run can be undone as a whole.`, confirm: "Run" });
    if (!sure) return;
    try {
      const done = await post("/reflect", body(false), signal);
      put(ahead);
      await load();
      const back = done.run ? { undo: async () => { await post("/undo", { run: done.run }); if (!signal.aborted) await load(); } } : {};
      toast(done.run ? `${count((done.changes || []).length, "change")} made` : "Nothing had to change", back);
    } catch (error) {
      if (!isAborted(error)) toastError(error);
    }
  }

  async function undo({ id, verb, changes }) {
    const sure = await ask({ title: `Undo this ${verb}?`, body: `${count(changes, "change")} will be undone, except for items that have changed since.`, confirm: "Undo it" });
    if (!sure) return;
    try {
      const done = await post("/undo", { run: id }, signal);
      const left = Array.isArray(done.left) ? done.left.length : Number(done.left || 0);
      await load();
      toast(`${count(done.undone, "change")} undone${left ? `, ${number(left)} left as they are` : ""}`);
    } catch (error) {
      if (!isAborted(error)) toastError(error);
    }
  }

  onChange((news) => { if (Object.keys(news.namespaces).some(isChosen)) load(); }, signal);
  load();
  loadRules();
  return el(
    "div", { class: "lifecycle" },
    head("Lifecycle", "How memories move between tiers, and which rules move them", select({ "aria-label": "How far back", value: String(asked.days), onchange: (event) => { asked.days = Number(event.target.value); remember(asked); load(); } }, DAYS.map(([days, label]) => [String(days), `Last ${label.replace(/^a /, "")}`]))),
    flow,
    section(
      "What would happen now",
      el("div", { class: "ahead-start" }, el("button", { class: "button", type: "button", id: "look", onclick: look }, icon("lifecycle", 16), "Look ahead"), el("p", { class: "soft" }, `Tries the rules on ${scope()}, without changing anything.`)),
      ahead,
    ),
    section("What the rules did", runs),
    section("The rules", rules),
  );
}

function tiersOverTime({ tiers, days, runs }) {
  const total = Object.values(tiers).reduce((sum, one) => sum + one, 0);
  if (!total) return empty({ title: "No memories yet", text: "Tiers fill as memories are stored.", command: "ghost put -n agent:me -k tea 'The user drinks green tea.'", picture: "lifecycle" });
  const known = ["stm", "ltm", "dormant"]; // sensory memories are shown only where there are some
  const ran = new Map();
  for (const { run: one } of runs) ran.set(one.at.slice(0, 10), (ran.get(one.at.slice(0, 10)) || 0) + 1);
  const note = (place) => {
    const day = days[place];
    const moves = (day.moves || []).map((move) => `${move.count} ${TIERS[move.before]?.label || move.before} → ${TIERS[move.after]?.label || move.after}`);
    return [day.created ? `${day.created} new` : "", ...moves, ran.has(day.day) ? count(ran.get(day.day), "run") : ""].filter(Boolean).join(", ");
  };
  const moves = new Map();
  for (const day of days) for (const move of day.moves || []) moves.set(`${move.before} ${move.after}`, (moves.get(`${move.before} ${move.after}`) || 0) + move.count);
  return [
    el("h2", { class: "sr" }, "Tiers"),
    el("div", { class: "tier-tiles" }, Object.entries(TIERS).filter(([name]) => known.includes(name) || tiers[name]).map(([name, { label, about }]) => tierTile(name, label, about, days.map((day) => day.tiers[name] || 0)))),
    signedColumns({
      title: "Changes by day", about: "Upwards: new memories and moves up a tier. Downwards: moves down a tier. A triangle marks a day on which rules ran.",
      names: days.map((day) => day.day), short: (day) => day.slice(5), note,
      events: days.map((day, place) => (ran.has(day.day) ? place : -1)).filter((place) => place >= 0),
      up: [
        { label: "new", tone: "accent", values: days.map((day) => day.created) },
        { label: "moved up", tone: "ltm", values: days.map((day) => moved(day, true)) },
      ],
      down: [{ label: "moved down", tone: "dormant", values: days.map((day) => moved(day, false)) }],
    }),
    moves.size > 0 && el("div", { class: "moves" }, el("h3", null, "Moves in this time"), el("ul", null, [...moves].map(([names, many]) => {
      const [before, after] = names.split(" ");
      return el("li", { class: "chip" }, TIERS[before]?.label || before, " → ", TIERS[after]?.label || after, " ", el("b", null, number(many)));
    }))),
  ];
}

const ORDER = ["dormant", "sensory", "stm", "ltm"];
/** Count the moves of a day to a higher or to a lower tier. */
const moved = (day, isUp) => (day.moves || []).filter((move) => (ORDER.indexOf(move.after) > ORDER.indexOf(move.before)) === isUp).reduce((sum, move) => sum + move.count, 0);

/** A tier with its number, how it changed in this time, and its course on a scale of its own. */
function tierTile(name, label, about, values) {
  const by = values.at(-1) - values[0];
  return el(
    "div", { class: `tier-tile tone-${name}`, title: about },
    el("span", { class: `tier-name tier-${name}` }, el("i", { class: "shape", "aria-hidden": "true" }), label),
    el("b", null, number(values.at(-1))), el("span", { class: "soft" }, by ? `${by > 0 ? "+" : "−"}${number(Math.abs(by))} in this time` : "unchanged"),
    sparkline(values, `${label}: from ${number(values[0])} to ${number(values.at(-1))}`),
  );
}

function run({ run: one, ops }, open, { may, undo, signal }) {
  const place = el("div", { class: "run-changes" });
  const box = el(
    "details", { class: "run", dataset: { run: one.id }, open, ontoggle: load },
    el(
      "summary", null, icon("chevron", 14), el("b", null, one.verb), time(one.at), el("span", { class: "soft" }, one.scope || "all namespaces"),
      el("span", { class: "run-ops" }, Object.entries(ops).map(([op, many]) => el("span", { class: "chip" }, `${number(many)} ${opLabel(op)}`)), !Object.keys(ops).length && el("span", { class: "soft" }, "nothing changed")),
      one.undone_at && el("span", { class: "chip undone" }, icon("undo", 13), "undone ", time(one.undone_at)),
    ),
    place,
  );
  async function load() {
    if (!box.open || place.childElementCount) return;
    put(place, skeleton(1, "line"));
    try {
      const found = await get(`/runs/${encodeURIComponent(one.id)}`, {}, signal);
      put(
        place, changeGroups(found.changes, true),
        found.total > found.changes.length && el("p", { class: "soft" }, `The first ${number(found.changes.length)} of ${number(found.total)}.`),
        may && !one.undone_at && one.changes > 0 && el("button", { class: "button", type: "button", onclick: () => undo(one) }, icon("undo", 16), "Undo this run"),
      );
    } catch (error) {
      if (!isAborted(error)) put(place, failure(error, () => { put(place); load(); }));
    }
  }
  if (open) load();
  return el("li", null, box);
}

function ruleList(rules) {
  if (!rules.length) return el("p", { class: "soft" }, "There are no rules: nothing moves on its own.");
  return el("ol", { class: "rules" }, rules.map((rule) => el(
    "li", null,
    el("p", null, ruleInWords(rule)),
    el("p", { class: "soft" }, el("code", null, rule.name), ` · ${rule.created_by === "system" ? "built in" : "yours"}${rule.ns ? ` · ${rule.ns}` : ""} · priority ${rule.priority}`),
  )));
}
