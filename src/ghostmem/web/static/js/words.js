// The vocabulary: how tiers, kinds, relations and sources are called, drawn and explained. Colours are custom properties of base.css.

export const TIERS = {
  sensory: { label: "sensory", about: "just arrived; deleted soon unless it is used", shape: "ring" },
  stm: { label: "short-term", about: "new or in use", shape: "half" },
  ltm: { label: "long-term", about: "used often, and kept", shape: "full" },
  dormant: { label: "dormant", about: "kept, but hidden from search", shape: "bar" },
};

export const KINDS = {
  semantic: { label: "semantic", about: "a fact" },
  episodic: { label: "episodic", about: "something that happened" },
  procedural: { label: "procedural", about: "how something is done" },
};

// `dash` tells relations apart without colour, in lines of SVG and canvas
export const RELS = {
  relates_to: { label: "relates to", back: "relates to", dash: [] },
  contradicts: { label: "contradicts", back: "is contradicted by", dash: [7, 3] },
  depends_on: { label: "depends on", back: "is needed by", dash: [2, 3] },
  refines: { label: "refines", back: "is refined by", dash: [10, 3, 2, 3] },
  contains: { label: "sums up", back: "is summed up by", dash: [1, 4] },
  merged_into: { label: "was merged into", back: "took in", dash: [4, 6] },
  caused_by: { label: "is caused by", back: "causes", dash: [6, 2, 2, 2] },
  prevents: { label: "prevents", back: "is prevented by", dash: [12, 4] },
  implies: { label: "implies", back: "is implied by", dash: [5, 5] },
};

export const SOURCES = {
  stated: "said by the user",
  observed: "observed",
  self: "concluded by the agent",
  peer: "told by another agent",
  import: "imported",
};

// the parts of a score, in words
export const PARTS = {
  lexical: "words in common",
  wording: "words across the conversation",
  own: "meaning",
  mixed: "meaning with its neighbours",
  thread: "meaning of the conversation",
  source: "said by the person in the question",
  month: "the month in the question",
  day: "the day in the question",
  window: "the time in the question",
  question: "it is itself a question",
  when: "it contains a time",
  place: "it contains a name",
  identifier: "numbers and codes in common",
  recency: "how recent it is",
  episode: "it is an episode",
  tier: "its tier",
  kind: "its kind",
  importance: "its importance",
  priority: "its priority",
  pinned: "it is pinned",
  edge: "it is linked to a hit",
  files: "it is about an open file",
  relevance: "how well it answers",
  newer: "newer than others that answer as well",
  access: "how often it was used",
  edges: "links to what was found",
  seed: "score of the linked memory",
  weight: "weight of the link",
  passed: "what a link passes on",
  correction: "score of the memory that it corrects",
  conflict: "raised with the memory that it contradicts",
  child: "raised with the memories that it sums up",
  negative: "no score is below zero",
  rest: "other adjustments",
};

export const LEGS = { text: "full text", substring: "parts of words", vector: "meaning", meaning: "meaning" };

// findings of the audit: name, meaning, and how it is called when there is none
export const FINDINGS = {
  duplicates: ["Duplicates", "Memories that say the same under different keys.", "no duplicates"],
  contradictions: ["Contradictions", "Memories that contradict each other, with nothing decided.", "no contradictions"],
  stale: ["Not used for three months", "They stay. Rules may make them dormant, which hides them from search.", "all used within three months"],
  never_used: ["Never used", "Two weeks old or more, and never read on purpose.", "all used"],
  orphans: ["Unlinked", "Memories without a link to another.", "all linked"],
  oversized: ["Too long", "A context shows only a part of them.", "none too long"],
  unembedded: ["Without a vector", "Found by their words only, not by their meaning.", "all with a vector"],
  expired: ["Expired", "Expired, and hidden until they are deleted.", "none expired"],
  rule_churn: ["Moved back and forth", "Rules moved them between tiers twice within a week.", "none moved back and forth"],
  secrets: ["Possible secrets", "They contain something that looks like a key or a password.", "no secrets"],
  quarantine: ["Quarantine", "Not trusted, and waiting for your decision.", "quarantine is empty"],
};

/** Write the score of the audit as a sentence. */
export const healthWords = (score) => (score >= 95 ? "Very tidy" : score >= 85 ? "In good order" : score >= 60 ? "A few things need attention" : "Needs attention");

const FORMAT = new Intl.NumberFormat("en");
const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const STEPS = [["year", 31536000], ["month", 2592000], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

/** Write a number with separators. */
export const number = (value) => FORMAT.format(value);

/** Write a count with its noun: count(2, "memory", "memories"). */
export const count = (value, single, plural = `${single}s`) => `${number(value)} ${value === 1 ? single : plural}`;

/** Say how long ago a time was, or how far ahead it lies. */
export function ago(text) {
  const seconds = (new Date(text).getTime() - Date.now()) / 1000;
  const [unit, length] = STEPS.find(([, size]) => Math.abs(seconds) >= size) || ["second", 1];
  return unit === "second" ? "just now" : AGO.format(Math.round(seconds / length), unit);
}

/** Write a time as a date and a time of this place. */
export function when(text) {
  const at = new Date(text);
  const two = (value) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Write a time as a date of this place. */
export const day = (text) => when(text).slice(0, 10);

/** Split a list at its commas; as in CSV, double quotes around a part keep its commas. */
export const splitList = (text) => [...text.matchAll(/\s*"((?:[^"]|"")*)"\s*(?:,|$)|([^,]*)(?:,|$)/g)]
  .map(([, quoted, plain]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim()).filter(Boolean);

/** Join texts so that `splitList` returns them. */
export const joinList = (texts) => texts.map((text) => (/^"|,/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(", ");
