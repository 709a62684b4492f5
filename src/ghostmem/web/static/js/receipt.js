// Why a memory is there: ranks by retriever, the parts of its score in the order in which they are joined, and links it came over.
import { el } from "./dom.js";
import { relChip } from "./parts.js";
import { LEGS, PARTS } from "./words.js";

const FACTORS = new Set(["tier", "source", "weight"]); // they multiply; every other part is added
const AFTER = new Set(["edges", "conflict", "child"]); // added after the factors
const ENOUGH = 0.0015; // the parts are rounded, so a smaller difference means nothing

/**
 * Return the rows of a score as [{name, value, sign, effect}], so that the effects add up to the score: `sign` is "+" or "×", and
 * the effect of a factor is by how much it changes what stands above it.
 */
export function scoreRows(parts, score, multiplied) {
  const entries = Object.entries(parts).filter(([, value]) => value !== 0);
  const isFactor = (name) => multiplied && FACTORS.has(name);
  const bySize = (a, b) => Math.abs(b[1]) - Math.abs(a[1]);
  const rows = [];
  let sum = 0;
  const push = (name, value, sign, effect) => { rows.push({ name, value, sign, effect }); sum += effect; };
  for (const [name, value] of entries.filter(([name]) => !isFactor(name) && !AFTER.has(name)).sort(bySize)) push(name, value, "+", value);
  for (const [name, value] of entries.filter(([name]) => isFactor(name))) if (value !== 1) push(name, value, "×", sum * (value - 1));
  for (const [name, value] of entries.filter(([name]) => !isFactor(name) && AFTER.has(name))) push(name, value, "+", value);
  if (score !== null && score !== undefined && rows.length && Math.abs(score - sum) > ENOUGH) {
    // what is lost over a link is a share; anything else is an amount
    if (parts.seed && sum > 0) push("passed", score / sum, "×", score - sum);
    else push("rest", score - sum, "+", score - sum);
  }
  return rows;
}

/** The receipt of a memory; `multiplied` says that some parts are factors, as in a context. */
export function receipt({ legs = {}, parts = {}, score = null, similarity = null, relevance = null, path = [], note = "", stage = "", multiplied = false }) {
  const rows = scoreRows(parts, score, multiplied);
  const most = Math.max(0.001, ...rows.map(({ effect }) => Math.abs(effect)));
  const ranks = Object.entries(legs).map(([leg, rank]) => el("li", null, LEGS[leg] || leg, " ", el("b", null, `#${rank}`)));
  return el(
    "div",
    { class: "receipt" },
    el(
      "dl",
      { class: "receipt-facts" },
      rows.length === 0 && score !== null && fact("score", score.toFixed(3)),
      similarity !== null && similarity !== undefined && fact("similarity", similarity.toFixed(3)),
      relevance !== null && fact("judge", `${Math.round(relevance * 100)} %`),
      stage && fact("stage", stage),
      ranks.length > 0 && fact("ranked", el("ul", { class: "inline" }, ranks)),
    ),
    rows.length > 0 &&
      el(
        "table", { class: "bars" }, el("caption", { class: "sr" }, "Parts of the score"),
        el("tbody", null, rows.map((row) => bar(row, most))),
        score !== null && el("tfoot", null, el("tr", { class: "bars-sum" }, el("th", { scope: "row" }, "score"), el("td"), el("td", { class: "num" }, `= ${score.toFixed(3)}`))),
      ),
    path.length > 0 && el("ol", { class: "hops" }, path.map((hop) => el("li", null, hop.from_key, " ", relChip(hop.rel), " ", hop.to_key, " ", el("span", { class: "soft" }, hop.weight.toFixed(2))))),
    note && el("p", { class: "soft" }, note),
  );
}

const fact = (name, value) => el("div", null, el("dt", null, name), el("dd", null, value));

function bar({ name, value, sign, effect }, most) {
  const kind = [effect < 0 && "less", sign === "×" && "factor"].filter(Boolean).join(" ");
  const text = sign === "×" ? `× ${value.toFixed(2)}` : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`;
  return el(
    "tr", { dataset: { part: name } },
    el("th", { scope: "row", title: name }, PARTS[name] || name.replaceAll("_", " ")),
    el("td", { class: "track" }, el("i", { class: kind, vars: { "--share": `${(Math.abs(effect) / most) * 100}%` } })),
    el("td", { class: "num", title: sign === "×" ? `changes the score by ${effect > 0 ? "+" : "−"}${Math.abs(effect).toFixed(3)}` : null }, text),
  );
}
