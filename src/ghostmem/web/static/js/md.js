// Markdown to nodes. What memories hold is hostile text: there is no way from here to HTML, and links lead only to the web or mail.
import { el, isSafeLink } from "./dom.js";

const LONGEST = 200000; // characters of a text that are laid out; the rest is shown as it is
const LONGEST_BLOCK = 20000; // characters of a paragraph in which marks are looked for
const DEEPEST = 8;
const AUTO = { dir: "auto" }; // each block runs in the direction of its own text

/** Return a text of markdown as an element. */
export function markdown(text) {
  const node = el("div", { class: "prose", dir: "auto" });
  const [told, rest] = [text.slice(0, LONGEST), text.slice(LONGEST)];
  node.append(...blocks(told.replace(/\r\n?/g, "\n").split("\n"), 0));
  if (rest) node.append(el("pre", null, rest));
  return node;
}

function blocks(lines, depth) {
  const found = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) { at += 1; continue; }
    const rule = depth < DEEPEST && RULES.find(([test]) => test(line, lines, at));
    const [nodes, next] = (rule ? rule[1] : paragraph)(lines, at, depth);
    found.push(...nodes);
    at = Math.max(next, at + 1);
  }
  return found;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}>\s?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

const isTable = (line, lines, at) => line.length < 2000 && line.includes("|") && at + 1 < lines.length && lines[at + 1].includes("-") && lines[at + 1].length < 1000 && DIVIDER.test(lines[at + 1]) && lines[at + 1].includes("|");

const RULES = [
  [(line) => FENCE.test(line), fence],
  [(line) => HEADING.test(line), heading],
  [(line) => RULE.test(line), (_, at) => [[el("hr")], at + 1]],
  [(line) => QUOTE.test(line), quote],
  [(line) => ITEM.test(line), list],
  [isTable, table],
];

function fence(lines, at) {
  const [, mark, language] = FENCE.exec(lines[at]);
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(mark)) end += 1;
  const code = el("code", null, lines.slice(at + 1, end).join("\n"));
  return [[el("pre", language.trim() ? { "data-language": language.trim().slice(0, 40), tabindex: "0" } : { tabindex: "0" }, code)], end + 1];
}

function heading(lines, at) {
  const [, hashes, text] = HEADING.exec(lines[at]);
  return [[el(`h${Math.min(6, hashes.length + 1)}`, AUTO, inline(text, 0))], at + 1];
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  return [[el("blockquote", AUTO, blocks(lines.slice(at, end).map((line) => line.replace(QUOTE, "")), depth + 1))], end];
}

function list(lines, at, depth) {
  const [, space, mark] = ITEM.exec(lines[at]);
  const ordered = /\d/.test(mark);
  const items = [];
  let end = at;
  while (end < lines.length) {
    const match = ITEM.exec(lines[end]);
    if (match && match[1].length <= space.length + 1 && /\d/.test(match[2]) === ordered) {
      items.push([match[3]]);
      end += 1;
    } else if (items.length && lines[end].trim() && (/^ {2,}|^\t/.test(lines[end]) || !RULES.some(([test]) => test(lines[end], lines, end))) && !(lines[end - 1] || "").match(/^\s*$/)) {
      items.at(-1).push(lines[end].replace(/^(\t| {1,4})/, ""));
      end += 1;
    } else if (!lines[end].trim() && end + 1 < lines.length && (/^ {2,}\S|^\t/.test(lines[end + 1]) || ITEM.test(lines[end + 1]))) {
      items.at(-1)?.push("");
      end += 1;
      if (/^ {2,}\S|^\t/.test(lines[end])) { items.at(-1).push(lines[end].replace(/^(\t| {1,4})/, "")); end += 1; }
    } else break;
  }
  const made = items.map((body) => item(body, depth));
  return [[ordered ? el("ol", { ...AUTO, start: parseInt(mark, 10) === 1 ? null : parseInt(mark, 10) }, made) : el("ul", AUTO, made)], end];
}

function item(body, depth) {
  const task = /^\[([ xX])\]\s+(.*)$/.exec(body[0]);
  if (task) body = [task[2], ...body.slice(1)];
  const inner = blocks(body, depth + 1);
  const tight = inner.length && inner[0].tagName === "P" ? [...inner[0].childNodes] : inner.slice(0, 1);
  const box = task && el("input", { type: "checkbox", disabled: true, checked: task[1] !== " ", "aria-label": task[1] === " " ? "open" : "done" });
  return el("li", task ? { ...AUTO, class: "task" } : AUTO, box, tight, inner.slice(1));
}

const cells = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

function table(lines, at) {
  const names = cells(lines[at]);
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && lines[end].trim()) end += 1;
  const rows = lines.slice(at + 2, end).map(cells);
  const head = el("tr", null, names.map((name) => el("th", AUTO, inline(name, 0))));
  const body = rows.map((row) => el("tr", null, names.map((_, column) => el("td", AUTO, inline(row[column] || "", 0)))));
  return [[el("div", { class: "table-scroll", tabindex: "0" }, el("table", null, el("thead", null, head), el("tbody", null, body)))], end];
}

function paragraph(lines, at, depth) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !(depth < DEEPEST && RULES.some(([test]) => test(lines[end], lines, end)))) end += 1;
  return [[el("p", AUTO, inline(lines.slice(at, end).join("\n"), 0))], end];
}

// [opening, closing, element]
const SPANS = [["***", "***", "strong"], ["**", "**", "strong"], ["__", "__", "strong"], ["~~", "~~", "del"], ["*", "*", "em"], ["_", "_", "em"]];
const WEB = /^https?:\/\/[^\s<>"'`]{1,2000}/i;

/** Return one paragraph of markdown as nodes. */
export function inline(text, depth) {
  if (text.length > LONGEST_BLOCK || depth > DEEPEST) return [text];
  const found = [];
  let plain = "";
  const flush = () => { if (plain) { found.push(...broken(plain)); plain = ""; } };
  let at = 0;
  while (at < text.length) {
    const [node, next] = span(text, at, depth);
    if (node) {
      flush();
      found.push(node);
      at = next;
    } else {
      const escaped = text[at] === "\\" && /[!-/:-@[-`{-~]/.test(text[at + 1] || "");
      plain += escaped ? text[at + 1] : text[at];
      at += escaped ? 2 : 1;
    }
  }
  flush();
  return found;
}

const broken = (text) => text.split(/(?: {2,}|\\)\n/).flatMap((part, place) => (place ? [el("br"), part] : [part]));

function span(text, at, depth) {
  const sign = text[at];
  if (sign === "`") return code(text, at);
  if (sign === "[" || (sign === "!" && text[at + 1] === "[")) return link(text, at, depth);
  if ((sign === "h" || sign === "H") && !/\w/.test(text[at - 1] || "")) return bare(text, at);
  if (!"*_~".includes(sign)) return [null, at];
  for (const [open, close, tag] of SPANS) {
    if (!text.startsWith(open, at) || /\s/.test(text[at + open.length] || " ")) continue;
    if (open[0] === "_" && /\w/.test(text[at - 1] || "")) continue;
    const end = text.indexOf(close, at + open.length + 1);
    if (end < 0 || /\s/.test(text[end - 1]) || (close[0] === "_" && /\w/.test(text[end + close.length] || ""))) continue;
    return [el(tag, null, inline(text.slice(at + open.length, end), depth + 1)), end + close.length];
  }
  return [null, at];
}

function code(text, at) {
  const [ticks] = /^`+/.exec(text.slice(at, at + 20));
  const end = text.indexOf(ticks, at + ticks.length);
  if (end < 0) return [null, at];
  return [el("code", null, text.slice(at + ticks.length, end).replace(/^ (.*) $/s, "$1")), end + ticks.length];
}

function link(text, at, depth) {
  const from = text[at] === "!" ? at + 2 : at + 1;
  const middle = text.indexOf("](", from);
  if (middle < 0 || middle - from > 2000) return [null, at];
  const end = text.indexOf(")", middle);
  if (end < 0 || end - middle > 2000) return [null, at];
  const label = text.slice(from, middle);
  if (label.includes("\n\n") || (text[at] !== "!" && label.includes("["))) return [null, at];
  const address = text.slice(middle + 2, end).trim().split(/\s/)[0];
  const shown = inline(label || address, depth + 1);
  if (!isSafeLink(address) || address.startsWith("/")) return [el("span", { class: "dead-link", title: address }, shown), end + 1];
  if (address.startsWith("#")) return [el("span", { class: "dead-link", title: address }, shown), end + 1];
  return [el("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank" }, text[at] === "!" ? ["picture: ", shown] : shown), end + 1];
}

function bare(text, at) {
  const match = WEB.exec(text.slice(at, at + 2100));
  if (!match) return [null, at];
  const address = match[0].replace(/[.,;:!?)\]]+$/, "");
  return [el("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank" }, address), at + address.length];
}
