// What a result shows of a text: the part around its match, on one line, with markdown laid out and the words of the question marked.
import { el } from "./dom.js";
import { inline } from "./md.js";

const LONGEST = 20000; // characters of a text that are looked at

const STOP = new Set("a an and are as at be by did do does for from had has have how i in is it its of on or that the their they this to was were what when where which who why will with you your".split(" "));

/** Return the words of a question that are worth marking. */
export function terms(question) {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
  return [...new Set(words.filter((word) => word.length > 1 && !STOP.has(word)))].slice(0, 24);
}

/** Return a text as nodes, with the words of a question marked. */
export function marked(text, words) {
  if (!words.length) return [text];
  const stems = words.map((word) => (word.length > 4 ? word.replace(/(ing|ed|es|s)$/, "") : word)).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{Script=Latin}\\p{N}])(?:${stems.join("|")})[\\p{Script=Latin}\\p{N}]*`, "giu");
  const found = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) found.push(text.slice(from, match.index));
    found.push(el("mark", null, match[0]));
    from = match.index + match[0].length;
  }
  found.push(text.slice(from));
  return found;
}

/**
 * Return the part of a text around its match as nodes, or around its first marked word if the server named no match; whole words only.
 * Headings become bold, code becomes code, lists and tables become plain text, and links are not links.
 */
export function snippet(text, words, { match_start = null, match_end = null } = {}, length = 260) {
  const line = el("span", null, laidOut(text));
  const plain = line.textContent;
  const [start, end] = match_start === null ? firstWord(plain, words) : [plainOffset(text, match_start), plainOffset(text, match_end)];
  const [from, to] = plain.length <= length ? [0, plain.length] : around(plain, Math.min(start, plain.length), Math.min(end, plain.length), length);
  cut(line, from, to);
  for (const node of textsOf(line)) node.replaceWith(...marked(node.data, words));
  return [from > 0 && "… ", ...line.childNodes, to < plain.length && " …"].filter(Boolean);
}

/** Return nodes of a text on one line: without the marks that markdown puts at the beginning of lines. */
function laidOut(text) {
  let code = false;
  const lines = text.slice(0, LONGEST).split(/\r?\n/).map((line) => {
    if (/^\s*(`{3,}|~{3,})/.test(line)) { code = !code; return ""; }
    if (code) return line.trim() && !line.includes("`") ? `\`${line.trim()}\`` : line;
    if (/^\s*\|?[\s:|-]*-{2,}[\s:|-]*\|?\s*$/.test(line)) return ""; // a rule, or the divider of a table
    const heading = /^\s*(?:>\s*)*#{1,6}\s+(.*?)\s*#*\s*$/.exec(line);
    if (heading) return heading[1].includes("*") ? heading[1] : heading[1] && `**${heading[1]}**`;
    return line.replace(/^\s*(?:>\s*)*(?:[-*+]\s+(?:\[[ xX]\]\s+)?)?/, "").replace(/^\||\|\s*$/g, "").replace(/\s*\|\s*/g, " · ");
  });
  const nodes = inline(lines.filter(Boolean).join(" ").replace(/\s+/g, " ").trim(), 0);
  return nodes.flatMap((node) => (node.tagName === "A" || node.tagName === "BR" || node.className === "dead-link" ? [node.textContent || " "] : [node]));
}

/** Return where a character of a text, counted in code points as the server does, is in the text that is shown. */
const plainOffset = (text, offset) => el("span", null, laidOut(Array.from(text).slice(0, offset).join(""))).textContent.length;

function firstWord(plain, words) {
  const lower = plain.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const start = places.length ? Math.min(...places) : 0;
  return [start, start];
}

/** Return where to cut a text, so that a match is in the middle and words stay whole. */
function around(plain, start, end, length) {
  const spare = Math.max(0, length - (end - start));
  let from = Math.max(0, Math.min(start - Math.floor(spare / 2), plain.length - length));
  let to = Math.min(plain.length, from + length);
  const opening = from > 0 ? plain.indexOf(" ", from) : -1;
  if (opening >= 0 && opening < start) from = opening + 1;
  const closing = to < plain.length ? plain.lastIndexOf(" ", to) : -1;
  if (closing >= end && closing > from) to = closing;
  if (isLowSurrogate(plain, from)) from += 1;
  if (isLowSurrogate(plain, to)) to -= 1;
  return [from, to];
}

const isLowSurrogate = (text, at) => at > 0 && at < text.length && /[\uDC00-\uDFFF]/.test(text[at]);

function textsOf(node) {
  const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) found.push(walk.currentNode);
  return found;
}

/** Leave only a part of the text of an element. */
function cut(node, from, to) {
  let at = 0;
  for (const text of textsOf(node)) {
    const [start, end] = [at, at + text.data.length];
    at = end;
    text.data = text.data.slice(Math.max(0, from - start), Math.max(0, to - start));
  }
  for (const child of [...node.querySelectorAll("*")]) if (!child.textContent) child.remove();
}
