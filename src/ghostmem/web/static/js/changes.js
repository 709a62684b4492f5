// Changes of the lifecycle, in words: what a run did or would do, and what its rules say.
import { el, put } from "./dom.js";
import { icon } from "./icons.js";
import { memoryLink } from "./parts.js";
import { KINDS, RELS, TIERS, count } from "./words.js";

// an operation: what it does to one, and to several
export const OPS = {
  PROMOTE: ["promoted", "moves up a tier"],
  DEMOTE: ["demoted", "moves down a tier"],
  ARCHIVE: ["archived", "becomes dormant"],
  DELETE: ["deleted", "is deleted"],
  DECAY: ["faded", "loses importance"],
  MERGE: ["merged", "is merged into another"],
  DEDUP: ["deduplicated", "becomes dormant, because another says the same"],
  LINK: ["linked", "is linked to a similar memory"],
  PIN: ["pinned", "is pinned"],
  TTL_SET: ["expiring", "gets an expiry"],
  TRAIL: ["joined", "keeps a link to the one it was merged into"],
  RELINK: ["relinked", "is linked again"],
  FADE: ["links faded", "a link loses weight"],
  PRUNE: ["links dropped", "a link is deleted"],
};
const FIRST = 40;

export const opLabel = (op) => OPS[op]?.[0] || op.toLowerCase().replaceAll("_", " ");

const tier = (name) => TIERS[name]?.label || name;
const plain = (value) => (value === null || value === undefined ? "none" : typeof value === "number" ? String(Math.round(value * 1000) / 1000) : String(value));

/** What changed in one memory, in a few words. */
function step(change) {
  const { to_key: other, rel } = change;
  const before = change.before || {};
  const after = change.after || {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !other || name === "weight");
  const parts = names.map((name) => {
    if (name === "tier") return `${tier(before.tier)} → ${tier(after.tier)}`;
    if (name === "deleted_at") return after.deleted_at ? "deleted, can be restored" : "restored";
    if (!(name in before)) return `${name.replaceAll("_", " ")} ${plain(after[name])}`;
    return `${name.replaceAll("_", " ")} ${plain(before[name])} → ${plain(after[name])}`;
  });
  if (other) parts.unshift(`${RELS[rel]?.label || "with"} ${other}`);
  return parts.join(", ");
}

/** Changes in groups by what they do, weightiest first; each group opens. */
export function changeGroups(changes, open = false) {
  const groups = new Map();
  for (const change of changes) {
    if (!groups.has(change.op)) groups.set(change.op, []);
    groups.get(change.op).push(change);
  }
  const order = Object.keys(OPS);
  return el(
    "div", { class: "change-groups" },
    [...groups].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b)).map(([op, list]) => group(op, list, open || list.length <= 5)),
  );
}

function group(op, list, open) {
  const rows = el("ul", { class: "changes" });
  const draw = (many) => put(
    rows,
    list.slice(0, many).map((change) => el("li", null, memoryLink(change.ns, change.key, el("span", { class: "soft" }, `${change.ns}/`), change.key), el("span", null, step(change)), el("code", { class: "soft" }, change.rule))),
    list.length > many && el("li", null, el("button", { class: "button small", type: "button", onclick: () => draw(list.length) }, `Show all ${list.length}`)),
  );
  draw(FIRST);
  return el("details", { class: "change-group", open }, el("summary", null, icon("chevron", 14), el("b", null, opLabel(op)), el("span", { class: "badge" }, list.length), el("span", { class: "soft" }, OPS[op]?.[1] || "")), rows);
}

const hours = (value) => (value % 24 === 0 && value >= 48 ? count(value / 24, "day") : count(value, "hour"));

/** A rule as a sentence. */
export function ruleInWords(rule) {
  const who = [rule.cond_tier ? tier(rule.cond_tier) : "", rule.cond_kind ? KINDS[rule.cond_kind]?.label || rule.cond_kind : "memory"].filter(Boolean).join(" ");
  const when = [
    rule.cond_age_gt_hours && `is older than ${hours(rule.cond_age_gt_hours)}`,
    rule.cond_unaccessed_gt_hours && `has not been used for ${hours(rule.cond_unaccessed_gt_hours)}`,
    rule.cond_access_gt !== undefined && `was retrieved more than ${count(rule.cond_access_gt, "time")}`,
    rule.cond_access_lt !== undefined && `was retrieved fewer than ${count(rule.cond_access_lt, "time")}`,
    rule.cond_importance_lt !== undefined && `has an importance below ${rule.cond_importance_lt}`,
    rule.cond_utility_lt !== undefined && `helped in less than ${Math.round(rule.cond_utility_lt * 100)} % of its retrievals`,
    rule.cond_similarity_gt !== undefined && `is more than ${Math.round(rule.cond_similarity_gt * 100)} % like another`,
    rule.cond_tag_includes && `has the tag “${rule.cond_tag_includes}”`,
  ].filter(Boolean);
  const params = rule.action_params || {};
  const doing = {
    PROMOTE: `moves up to ${tier(params.to_tier || "the next tier")}`,
    DEMOTE: `moves down to ${tier(params.to_tier || "the tier below")}`,
    DELETE: "is deleted, and can be restored",
    ARCHIVE: "becomes dormant",
    DECAY: `keeps ${Math.round((params.factor ?? 1) * 100)} % of its importance${params.min ? `, but never less than ${params.min}` : ""}`,
    MERGE: "is merged with it",
    LINK: "is linked to it",
    DEDUP: "becomes dormant if it is the worse of the two",
    PIN: "is pinned",
    TTL_SET: `expires after ${params.ttl || "a while"}`,
  }[rule.action_op] || opLabel(rule.action_op);
  const subject = /^[aeiou]/.test(who) ? `An ${who}` : `A ${who}`;
  return `${subject}${when.length ? ` that ${when.join(" and ")}` : ""} ${doing}.`;
}
