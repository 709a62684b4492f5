// What a person can do to memories. Each asks once, does it, and leaves a notice whose Undo really takes it back.
// A function takes the memory as the server told it and `after()`, which shows what is now; it returns whether something was done.
import { del, get, memoryPath, post, putJson } from "./api.js";
import { again, change, forced, isLocked, lockNote, mayChange, name, where } from "./change.js";
import { el, put } from "./dom.js";
import { edit } from "./editor.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { link } from "./links.js";
import { checkbox, field, tierChip } from "./parts.js";
import { toastError } from "./toast.js";
import { splitList } from "./words.js";

export { isLocked, mayChange } from "./change.js";
export { edit } from "./editor.js";
export { consolidate, link, unlink } from "./links.js";
export { bothHold, drop, release, resolve } from "./rulings.js";

// ---- one step in a memory's life

const STEPS = {
  pin: { title: "Pin it?", about: "It is part of every context from now on, and is never archived.", done: "Pinned", verb: "Pin" },
  unpin: { title: "Unpin it?", about: "It is part of a context only if it is relevant.", done: "Unpinned", verb: "Unpin" },
  lock: { title: "Lock it?", about: "It is not rewritten, aged or deleted, unless somebody overrides the lock.", done: "Locked", verb: "Lock" },
  unlock: { title: "Unlock it?", about: "Agents may rewrite it again, and the lifecycle may age it.", done: "Unlocked", verb: "Unlock" },
  promote: { title: "Promote it?", about: "It moves up one tier.", done: "Promoted", verb: "Promote" },
  demote: { title: "Demote it?", about: "It moves down one tier.", done: "Demoted", verb: "Demote" },
  boost: { title: "Make it more important?", about: "Its importance rises by 0.2, up to 1.", done: "Boosted", verb: "Boost" },
  diminish: { title: "Make it less important?", about: "Its importance falls by 0.2, down to 0.1.", done: "Diminished", verb: "Diminish" },
  archive: { title: "Archive it?", about: "It becomes dormant: kept, but hidden from search.", done: "Archived", verb: "Archive" },
};
const INVERSE = { pin: "unpin", unpin: "pin", lock: "unlock", unlock: "lock", promote: "demote", demote: "promote", boost: "diminish", diminish: "boost" };
const UP = { dormant: "stm", stm: "ltm", sensory: "stm" };
const DOWN = { ltm: "stm", stm: "dormant" };

/** Return the steps that are open to a memory. */
export function stepsFor(memory) {
  return ["promote", "demote", "boost", "diminish", "archive"].filter((op) =>
    (op !== "promote" || UP[memory.tier]) && (op !== "demote" || DOWN[memory.tier]) && (op !== "archive" || memory.tier !== "dormant")
    && (op !== "boost" || memory.importance < 1) && (op !== "diminish" || memory.importance > 0.1));
}

/** Take a step: pin, unpin, lock, unlock, promote, demote, boost, diminish or archive. */
export function curate(memory, op, after) {
  const step = STEPS[op];
  const path = memoryPath(memory.ns, memory.key, "/curate");
  const force = op === "unlock" || op === "lock" ? {} : forced(memory);
  return change({
    question: { title: step.title, confirm: step.verb, body: [el("p", null, name(memory), where(memory)), el("p", null, step.about), op in MOVES && MOVES[op](memory), force.unlock && lockNote(memory)] },
    run: () => post(path, { op, ...force }),
    said: () => `${step.done} ${memory.key}`,
    undo: (done) => uncurate(memory, op, done, path, force),
    after,
  });
}

const arrow = (from, to) => el("p", { class: "move" }, from, icon("chevron", 14), to);
const rounded = (value) => Math.round(value * 1e6) / 1e6;
const MOVES = {
  promote: (memory) => arrow(tierChip(memory.tier), tierChip(UP[memory.tier])),
  demote: (memory) => arrow(tierChip(memory.tier), tierChip(DOWN[memory.tier])),
  archive: (memory) => arrow(tierChip(memory.tier), tierChip("dormant")),
  boost: (memory) => arrow(memory.importance.toFixed(2), Math.min(1, memory.importance + 0.2).toFixed(2)),
  diminish: (memory) => arrow(memory.importance.toFixed(2), Math.max(0.1, memory.importance - 0.2).toFixed(2)),
};

/** Take a step back: by the opposite step where that leads to the same place, otherwise by a version with the field as it was. */
async function uncurate(memory, op, done, path, force) {
  const back = INVERSE[op];
  if (memory.expires_at && (op === "pin" || op === "lock")) {
    await post(path, { op: back, ...(op === "pin" ? force : {}) });
    const left = Math.max(60, Math.round((new Date(memory.expires_at) - Date.now()) / 1000));
    await putJson(memoryPath(memory.ns, memory.key), again(memory, { ttl: `${left}s` }));
  } else if (done.old_tier && (op === "archive" ? done.old_tier !== "stm" : { promote: DOWN, demote: UP }[op][done.new_tier] !== done.old_tier)) {
    await putJson(memoryPath(memory.ns, memory.key), again(memory, { tier: done.old_tier, base_version: undefined }));
  } else if (done.old_importance !== undefined && rounded(done.new_importance - (op === "boost" ? 0.2 : -0.2)) !== rounded(done.old_importance)) {
    await putJson(memoryPath(memory.ns, memory.key), again(memory, { importance: done.old_importance, base_version: undefined }));
  } else {
    await post(path, { op: op === "archive" ? "promote" : back, ...(op === "unlock" || op === "lock" ? {} : force) });
  }
}

export const pin = (memory, after) => curate(memory, memory.pinned ? "unpin" : "pin", after);
export const lock = (memory, after) => curate(memory, isLocked(memory) ? "unlock" : "lock", after);

// ---- tags

/** Add and take away tags; the lock is a step of its own. */
export async function tag(memory, after) {
  const before = memory.tags || [];
  const own = before.filter((one) => one !== "locked");
  const known = el("datalist", { id: "tag-names" });
  get("/tags", { ns: memory.ns }).then((found) => put(known, found.tags.slice(0, 200).map((one) => el("option", { value: one.tag })))).catch(() => {});
  const fresh = el("input", { class: "input", name: "fresh", list: "tag-names", autocomplete: "off", dir: "auto", placeholder: "payments, rules" });
  const path = memoryPath(memory.ns, memory.key);
  return change({
    question: {
      title: "Tags", confirm: "Save tags",
      body: [
        el("p", null, name(memory), where(memory)),
        field("Add", fresh),
        own.length > 0 && el("fieldset", { class: "tag-boxes" }, el("legend", { class: "field-label" }, "Keep"), own.map((one) => checkbox(one, { name: "keep", value: one, checked: true }))),
        lockNote(memory), known,
      ],
      form(data) {
        const added = splitList(String(data.get("fresh")));
        const tags = [...new Set([...before.filter((one) => one === "locked" || data.getAll("keep").includes(one)), ...added])];
        if (tags.join("\n") === before.join("\n")) throw "Nothing has changed: type a tag, or remove one.";
        return { tags };
      },
    },
    run: ({ tags }) => putJson(path, again(memory, { tags })),
    said: () => `Tagged ${memory.key}`,
    undo: (done) => putJson(path, again(memory, { tags: before, base_version: done.version })),
    after,
  });
}

// ---- removal and earlier versions

/** Remove a memory, softly. */
export function remove(memory, after) {
  const path = memoryPath(memory.ns, memory.key);
  return change({
    question: {
      title: "Delete this memory?", confirm: "Delete", danger: true,
      body: [el("p", null, name(memory), where(memory)), el("p", null, "It is hidden from search and context. Its versions are kept, and Restore brings it back with its links."), lockNote(memory)],
    },
    run: () => del(path, isLocked(memory) ? { unlock: "true" } : {}),
    said: () => `Deleted ${memory.key}`,
    undo: () => post(memoryPath(memory.ns, memory.key, "/restore")),
    after,
  });
}

/** Bring back a memory that was removed, or an earlier version as the newest one; `now` is the memory's newest version. */
export function restore(now, version, after) {
  const gone = Boolean(now.deleted_at);
  const path = memoryPath(now.ns, now.key);
  const back = version && version !== now.version;
  return change({
    question: {
      title: back ? `Go back to version ${version}?` : "Restore this memory?", confirm: "Restore",
      body: [el("p", null, name(now), where(now)), el("p", null, back ? `Its text and fields are written again as version ${now.version + 1}; nothing in between is lost.` : "It is found again, with its links."), !gone && lockNote(now)],
    },
    run: () => post(`${path}/restore`, { ...(back ? { version } : {}), ...forced(now) }),
    said: () => (back ? `${now.key} is as in version ${version} again` : `Restored ${now.key}`),
    undo: (done) => (gone
      ? del(path, isLocked(done) ? { unlock: "true" } : {})
      : putJson(path, again(now, { kind: now.kind, tier: now.tier, priority: now.priority, importance: now.importance, pinned: now.pinned, tags: now.tags || [], meta: now.meta || {}, files: now.files || [], base_version: done.version, unlock: true }))),
    after,
  });
}

// ---- the keyboard

/** Bind e, t, p, l, n and Delete to the memory that `current()` returns; nothing happens where there is none or it may not be changed. */
export function bindActions(current, after, signal, editing = edit) {
  const on = (run) => () => {
    const memory = current();
    if (!memory || !mayChange(memory.ns)) return false;
    Promise.resolve(run(memory, after)).catch(toastError);
    return true;
  };
  const group = { signal, group: "Memory" };
  bind("e", "edit", on(editing), group);
  bind("t", "tag", on(tag), group);
  bind("p", "pin or unpin", on(pin), group);
  bind("l", "lock or unlock", on(lock), group);
  bind("n", "link to another", on(link), group);
  bind("Delete", "delete", on(remove), group);
}
