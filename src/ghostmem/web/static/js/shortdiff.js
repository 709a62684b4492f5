// The first difference between two short texts, in a few words: "02:00 → 03:30".
import { WORD, script } from "./diff.js";

const MAX_LENGTH = 40;

const cut = (text) => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH).trimEnd()}…` : text);

/** Return [before, after] of the first change, or null when the texts have little in common or are the same. */
export function firstChange(before, after) {
  const [one, other] = [before.match(WORD) || [], after.match(WORD) || []];
  const steps = script(one, other, 400);
  if (!steps || !steps.some(([kind]) => kind === "else")) return null;
  const shared = steps.filter(([kind]) => kind === "same").reduce((sum, [, a0, a1]) => sum + one.slice(a0, a1).filter((word) => word.trim()).length, 0);
  if (shared < 0.3 * Math.min(one.length, other.length) * 0.6) return null;
  const [, a0, a1, b0, b1] = steps.find(([kind]) => kind === "else");
  return [cut(one.slice(a0, a1).join("").trim()), cut(other.slice(b0, b1).join("").trim())];
}
