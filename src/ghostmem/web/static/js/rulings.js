// What a person decides: which side of a contradiction holds, and what becomes of what is held back. Functions as in actions.js.
import { del, get, memoryPath, post, putJson } from "./api.js";
import { again, change, isLocked, name, where } from "./change.js";
import { el } from "./dom.js";

/** Decide a contradiction: `keep` holds and `other` ends, or, with `both`, neither does. */
export function resolve(conflict, keep, other, both, after) {
  const { ns } = conflict;
  return change({
    question: {
      title: both ? "Do both hold?" : `Does ${keep} hold?`, confirm: both ? "Both hold" : "Keep it",
      body: both
        ? [el("p", null, el("b", null, keep), " and ", el("b", null, other), el("span", { class: "soft" }, " in ", ns)), el("p", null, "They no longer count as contradicting each other. Neither changes.")]
        : [el("p", null, el("b", null, keep), " holds; ", el("b", null, other), " ends.", el("span", { class: "soft" }, " In ", ns)), el("p", null, "What ends becomes dormant and is marked as replaced. Nothing is deleted.")],
    },
    run: async () => {
      const ends = await Promise.all([keep, other].map((key) => get(memoryPath(ns, key, "/details"))));
      const locked = !both && isLocked(ends[1].memory);
      return { kept: ends[0].memory, ties: ends[0].neighbours.filter((one) => one.rel === "contradicts" && one.key === other), told: await post("/resolve", { ns, keep, other, ...(both ? { both: true } : {}), ...(locked ? { unlock: true } : {}) }) };
    },
    said: ({ told }) => `${both ? `${keep} and ${other} both hold` : `${keep} holds, ${other} has ended`}${told.maybe_stale?.length ? `; maybe stale now: ${told.maybe_stale.join("; ")}` : ""}`,
    undo: (done) => unresolve(ns, keep, other, both, done),
    after,
  });
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

/** Hold something again that was released or dropped. */
function hold(held) {
  const fields = Object.fromEntries(Object.entries(held.fields || {}).filter(([field, value]) => HELD_FIELDS.has(field) && value !== null));
  return putJson(memoryPath(held.ns, held.key), { ...fields, content: held.content, tier: "quarantine", allow_secrets: true });
}

/** Trust what is held. */
export function release(held, after) {
  return change({
    question: {
      title: "Release it?", confirm: "Release", danger: true,
      body: [el("p", null, name(held), where(held)), el("p", null, "It is stored like any memory, and agents will read it from now on. Release it only if you would say it to them yourself.")],
    },
    run: () => post("/quarantine/release", { ns: held.ns, id: held.id }),
    said: () => `Released ${held.key}`,
    undo: async (done) => {
      if (done.outcome === "created") await del(memoryPath(done.ns, done.key), { unlock: "true" });
      else if (done.outcome === "updated") await post(memoryPath(done.ns, done.key, "/restore"), { version: done.version - 1, unlock: true });
      await hold(held);
    },
    after,
  });
}

/** Delete what is held; as long as the notice stands, the page still knows it and can hold it again. */
export function drop(held, after) {
  return change({
    question: {
      title: "Drop it for good?", confirm: "Drop", danger: true,
      body: [el("p", null, name(held), where(held)), el("p", null, "No byte of it stays in the store. You can undo this only as long as the notice that follows is shown.")],
    },
    run: () => post("/quarantine/drop", { ns: held.ns, ids: [held.id] }),
    said: () => `Dropped ${held.key}`,
    undo: () => hold(held),
    after,
  });
}
