// What changed between two texts: lines first, then words inside the lines that changed. Bounded, so that no text can stall the page.
import { el } from "./dom.js";
import { count, number } from "./words.js";

const MOST_LINES = 20000; // of both texts together
const MOST_WORDS = 6000; // of two lines together
const MOST_STEPS = 1200; // lines or words that may differ before it is called another text
const AROUND = 3; // equal lines shown beside a change
const MOST_ROWS = 4000; // lines of a comparison that are laid out
export const WORD = /\s+|\d+(?:[.,:]\d+)+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/**
 * Return how to get from one list to another as [kind, from, to, from2, to2] with kind "same" or "else"; null when they differ in
 * more than `most` places. The shortest script, by Myers' greedy way, after what both ends share is set aside.
 */
export function script(a, b, most = MOST_STEPS) {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const steps = path(a.slice(head, a.length - tail), b.slice(head, b.length - tail), most);
  if (!steps) return null;
  const found = [];
  const push = (kind, a0, a1, b0, b1) => {
    if (a0 === a1 && b0 === b1) return;
    const last = found.at(-1);
    if (last && last[0] === kind) { last[2] = a1; last[4] = b1; } else found.push([kind, a0, a1, b0, b1]);
  };
  push("same", 0, head, 0, head);
  let [x, y] = [head, head];
  for (const step of steps) {
    const [nextX, nextY] = [x + (step === "more" ? 0 : 1), y + (step === "less" ? 0 : 1)];
    push(step === "same" ? "same" : "else", x, nextX, y, nextY);
    [x, y] = [nextX, nextY];
  }
  push("same", x, a.length, y, b.length);
  return found;
}

function path(a, b, most) {
  const trace = [];
  const size = Math.min(a.length + b.length, most);
  const far = new Int32Array(2 * size + 3);
  const middle = size + 1;
  for (let depth = 0; depth <= size; depth += 1) {
    trace.push(far.slice(middle - depth - 1, middle + depth + 2));
    for (let line = -depth; line <= depth; line += 2) {
      const down = line === -depth || (line !== depth && far[middle + line - 1] < far[middle + line + 1]);
      let x = down ? far[middle + line + 1] : far[middle + line - 1] + 1;
      while (x < a.length && x - line < b.length && a[x] === b[x - line]) x += 1;
      far[middle + line] = x;
      if (x >= a.length && x - line >= b.length) return walked(trace, a.length, b.length);
    }
  }
  return null;
}

function walked(trace, x, y) {
  const found = [];
  for (let depth = trace.length - 1; depth >= 0; depth -= 1) {
    const far = trace[depth];
    const at = (line) => far[line + depth + 1];
    const line = x - y;
    const down = line === -depth || (line !== depth && at(line - 1) < at(line + 1));
    const before = down ? line + 1 : line - 1;
    const [fromX, fromY] = depth ? [at(before), at(before) - before] : [0, 0];
    while (x > fromX && y > fromY) { found.push("same"); x -= 1; y -= 1; }
    if (depth) { found.push(down ? "more" : "less"); [x, y] = [fromX, fromY]; }
  }
  return found.reverse();
}

/**
 * Return two texts as lists of nodes in which the words that differ are marked, as <del> and <ins> or with other elements; [null, null]
 * when they are too long, or have less than a share `alike` of their words in common.
 */
export function words(a, b, { marks = ["del", "ins"], alike = 0 } = {}) {
  const [one, other] = [a.slice(0, 40000).match(WORD) || [], b.slice(0, 40000).match(WORD) || []];
  const steps = a.length <= 40000 && b.length <= 40000 && one.length + other.length <= MOST_WORDS ? script(one, other) : null;
  const shared = (steps || []).filter(([kind]) => kind === "same").reduce((sum, [, a0, a1]) => sum + one.slice(a0, a1).filter((word) => word.trim()).length, 0);
  const most = Math.max(one.filter((word) => word.trim()).length, other.filter((word) => word.trim()).length);
  if (!steps || shared < alike * most) return [null, null];
  const [less, more] = [[], []];
  for (const [kind, a0, a1, b0, b1] of bridged(steps, one)) {
    const [from, to] = [one.slice(a0, a1).join(""), other.slice(b0, b1).join("")];
    if (from) less.push(kind === "same" ? from : el(marks[0], null, from));
    if (to) more.push(kind === "same" ? to : el(marks[1], null, to));
  }
  return [less, more];
}

/** Join changes that only a space keeps apart: "red car" to "blue bus" is one change, not two. */
function bridged(steps, one) {
  const found = [];
  steps.forEach((step, place) => {
    const [kind, a0, a1] = step;
    const between = kind === "same" && place > 0 && place < steps.length - 1 && a1 - a0 === 1 && /^\s$/.test(one[a0]);
    const last = found.at(-1);
    if (last && last[0] === "else" && (between || kind === "else")) { last[2] = step[2]; last[4] = step[4]; }
    else found.push([...step]);
  });
  return found;
}

/** Return what changed from one text to another as an element: lines with their numbers, equal ones folded. */
export function diff(a, b, { label = "Changes" } = {}) {
  if (a === b) return el("p", { class: "soft diff-same" }, "The texts are the same.");
  const [one, other] = [a.split("\n"), b.split("\n")];
  const steps = one.length + other.length <= MOST_LINES ? script(one, other) : null;
  const rows = steps ? steps.flatMap((step, place) => rowsOf(step, one, other, place === 0, place === steps.length - 1)) : whole(one, other);
  const body = el("tbody", null, rows.slice(0, MOST_ROWS));
  if (rows.length > MOST_ROWS) body.append(note(`${count(rows.length - MOST_ROWS, "further line")} not shown`));
  const [less, more] = steps ? sums(steps) : [one.length, other.length];
  return el(
    "div",
    { class: "diff" },
    el("p", { class: "diff-sum soft" }, el("span", { class: "less" }, `−${number(less)}`), " ", el("span", { class: "more" }, `+${number(more)}`), " ", less + more === 1 ? "line" : "lines", !steps && ": too different to compare line by line"),
    el("div", { class: "diff-scroll", tabindex: "0", role: "region", "aria-label": label }, el("table", null, el("caption", { class: "sr" }, label), el("colgroup", null, el("col", { class: "col-line" }), el("col", { class: "col-sign" }), el("col")), body)),
  );
}

const sums = (steps) => steps.filter(([kind]) => kind === "else").reduce(([less, more], [, a0, a1, b0, b1]) => [less + a1 - a0, more + b1 - b0], [0, 0]);

function whole(one, other) {
  const half = MOST_ROWS / 2;
  const rows = (lines, kind) => [...lines.slice(0, half).map((line, at) => row(kind, at + 1, [line])), lines.length > half && note(`${count(lines.length - half, "further line")} not shown`)];
  return [...rows(one, "less"), ...rows(other, "more")].filter(Boolean);
}

function rowsOf([kind, a0, a1, b0, b1], one, other, isFirst, isLast) {
  if (kind === "same") return same(one.slice(a0, a1), b0, isFirst, isLast);
  const lines = a1 - a0 === b1 - b0 && a1 - a0 <= 200 ? one.slice(a0, a1).map((line, at) => words(line, other[b0 + at])) : a1 - a0 && b1 - b0 ? [words(one.slice(a0, a1).join("\n"), other.slice(b0, b1).join("\n"))] : [];
  if (lines.length === 1 && (a1 - a0 > 1 || b1 - b0 > 1)) {
    if (lines[0][0]) return [row("less", a0 + 1, lines[0][0]), row("more", b0 + 1, lines[0][1])];
    lines.length = 0;
  }
  const part = (list, from, to, side, sign) => list.slice(from, to).map((line, at) => row(sign, from + at + 1, lines[at]?.[side] || [line]));
  return [...part(one, a0, a1, 0, "less"), ...part(other, b0, b1, 1, "more")];
}

function same(lines, from, isFirst, isLast) {
  const [top, bottom] = [isFirst ? 0 : AROUND, isLast ? 0 : AROUND];
  const rows = (low, high) => lines.slice(low, high).map((line, at) => row("same", from + low + at + 1, [line]));
  if (lines.length <= top + bottom + 2) return rows(0, lines.length);
  const hidden = [top, lines.length - bottom];
  const fold = note(el("button", { class: "button quiet small", type: "button", onclick: open }, `${count(hidden[1] - hidden[0], "equal line")}`));
  function open() {
    fold.replaceWith(...rows(hidden[0], Math.min(hidden[1], hidden[0] + MOST_ROWS)));
  }
  return [...rows(0, top), fold, ...rows(hidden[1], lines.length)];
}

const SIGNS = { same: ["", ""], less: ["−", "removed"], more: ["+", "added"] };

function row(kind, line, nodes) {
  const [sign, said] = SIGNS[kind];
  return el("tr", { class: `diff-${kind}` }, el("td", { class: "diff-line" }, line), el("td", { class: "diff-sign" }, el("span", { "aria-hidden": "true" }, sign), said && el("span", { class: "sr" }, said)), el("td", { class: "diff-text", dir: "auto" }, nodes));
}

const note = (...children) => el("tr", { class: "diff-note" }, el("td", { colspan: "3" }, children));
