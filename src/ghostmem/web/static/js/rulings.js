// Decisions of a person: which side of a contradiction is true, and what becomes of the quarantine. Functions as in actions.js.
import { del, get, memoryPath, post, putJson } from "./api.js";
import { again, change, isLocked, name, where } from "./change.js";
import { el } from "./dom.js";
import { count } from "./words.js";

/** Decide a contradiction: `keep` is true and `other` ends, or, with `both`, neither does. */
export function resolve(conflict, keep, other, both, after) {
  const { ns } = conflict;
  return change({
    question: {
      title: both ? "Are both true?" : `Keep ${keep}?`, confirm: both ? "Both are true" : "Keep it",
      body: both
        ? [el("p", null, el("b", null, keep), " and ", el("b", null, other), el("span", { class: "soft" }, " in ", ns)), el("p", null, "They no longer count as a contradiction. Neither changes.")]
        : [el("p", null, el("b", null, keep), " is kept; ", el("b", null, other), " is retired.", el("span", { class: "soft" }, " In ", ns)), el("p", null, "The retired memory becomes dormant and is marked as replaced. Nothing is deleted.")],
    },
    run: () => decide(ns, keep, other, both),
    said: ({ told }) => `${both ? `${keep} and ${other} are both true` : `Kept ${keep}; retired ${other}`}${told.maybe_stale?.length ? `; maybe stale now: ${told.maybe_stale.join("; ")}` : ""}`,
    undo: (done) => unresolve(ns, keep, other, both, done),
    after,
  });
}

async function decide(ns, keep, other, both) {
  const ends = await Promise.all([keep, other].map((key) => get(memoryPath(ns, key, "/details"))));
  const locked = !both && isLocked(ends[1].memory);
  const ties = ends[0].neighbours.filter((one) => one.rel === "contradicts" && one.key === other);
  return { kept: ends[0].memory, ties, told: await post("/resolve", { ns, keep, other, ...(both ? { both: true } : {}), ...(locked ? { unlock: true } : {}) }) };
}

/** Mark both sides of several contradictions as true. */
export function bothHold(conflicts, after) {
  const many = count(conflicts.length, "contradiction");
  return change({
    question: {
      title: `Are both true in ${many}?`, confirm: "Both are true",
      body: [names(conflicts.map(({ first, second }) => `${first.key} and ${second.key}`)), el("p", null, "They no longer count as contradictions. No memory changes.")],
    },
    run: () => oneByOne(conflicts, async ({ ns, first, second }) => [ns, first.key, second.key, await decide(ns, first.key, second.key, true)]),
    said: () => `Marked both as true in ${many}`,
    undo: async (done) => { for (const [ns, keep, other, each] of done) await unresolve(ns, keep, other, true, each); },
    after,
  });
}

const LISTED = 8;
const names = (keys) => el("ul", { class: "plain-list" }, keys.slice(0, LISTED).map((key) => el("li", null, key)), keys.length > LISTED && el("li", { class: "soft" }, `and ${keys.length - LISTED} more`));

async function oneByOne(list, run) {
  const done = [];
  for (const each of list) done.push(await run(each));
  return done;
}

async function unresolve(ns, keep, other, both, { kept, ties }) {
  if (both) {
    for (const tie of ties) await post("/edges", { ns, from_key: tie.out ? keep : other, to_key: tie.out ? other : keep, rel: "contradicts", weight: tie.weight });
    return;
  }
  await post(memoryPath(ns, other, "/reopen"));
  const { memory } = await get(memoryPath(ns, keep, "/details"));
  if (memory.importance !== kept.importance) await putJson(memoryPath(ns, keep), again(memory, { importance: kept.importance }));
}

const HELD_FIELDS = new Set("kind tags priority importance pinned meta files source_user source_kind source_scope source_client created_at valid_from valid_to ttl dedup supersedes".split(" "));

/** Put a memory back into the quarantine. */
function hold(held) {
  const fields = Object.fromEntries(Object.entries(held.fields || {}).filter(([field, value]) => HELD_FIELDS.has(field) && value !== null));
  return putJson(memoryPath(held.ns, held.key), { ...fields, content: held.content, tier: "quarantine", allow_secrets: true });
}

async function unrelease(held, done) {
  if (done.outcome === "created") await del(memoryPath(done.ns, done.key), { unlock: "true" });
  else if (done.outcome === "updated") await post(memoryPath(done.ns, done.key, "/restore"), { version: done.version - 1, unlock: true });
  await hold(held);
}

/** Release one or several quarantined memories: they are stored as if they had been trusted. */
export function release(list, after) {
  const many = list.length === 1 ? list[0].key : count(list.length, "memory", "memories");
  return change({
    question: {
      title: list.length === 1 ? "Release it?" : `Release ${many}?`, confirm: "Release", danger: true,
      body: [list.length === 1 ? el("p", null, name(list[0]), where(list[0])) : names(list.map(({ key }) => key)), el("p", null, "Agents will read it from now on. Release only what you would tell them yourself.")],
    },
    run: () => oneByOne(list, async (held) => [held, await post("/quarantine/release", { ns: held.ns, id: held.id })]),
    said: () => `Released ${many}`,
    undo: async (done) => { for (const [held, each] of done) await unrelease(held, each); },
    after,
  });
}

/** Drop one or several quarantined memories for good; as long as the notice is shown, the page can put them back. */
export function drop(list, after) {
  const many = list.length === 1 ? list[0].key : count(list.length, "memory", "memories");
  return change({
    question: {
      title: list.length === 1 ? "Drop it for good?" : `Drop ${many} for good?`, confirm: "Drop", danger: true,
      body: [list.length === 1 ? el("p", null, name(list[0]), where(list[0])) : names(list.map(({ key }) => key)), el("p", null, "Nothing of it stays in the store. You can undo this only while the notice that follows is shown.")],
    },
    run: async () => {
      for (const ns of new Set(list.map((held) => held.ns))) await post("/quarantine/drop", { ns, ids: list.filter((held) => held.ns === ns).map((held) => held.id) });
    },
    said: () => `Dropped ${many}`,
    undo: () => oneByOne(list, hold),
    after,
  });
}
