// The picture of the timeline: a row for each key, with when it was true above and when it was believed below. Rows outside the
// window are not laid out, so thousands of them cost what a screenful costs.
import { words } from "./diff.js";
import { el, put } from "./dom.js";
import { middle } from "./parts.js";
import { href } from "./router.js";
import { firstChange } from "./shortdiff.js";
import { when } from "./words.js";

export const ROW = 60;
const AXIS = 28;
const TOKENS = ["accent", "accent-soft", "line", "line-strong", "ink", "soft", "card", "page", "warn", "raised"];

/**
 * Return {node, show(rows, asOf), redraw, zoom, pan, fit, focusRow}: rows are {ns, key, spans}, spans have times in milliseconds
 * (true0, true1, said0, said1; the ends may be Infinity).
 */
export function strip(scale, { onopen, signal }) {
  const canvas = el("canvas", { class: "strip-canvas", "aria-hidden": "true" });
  const axis = el("canvas", { class: "strip-axis", "aria-hidden": "true" });
  const labels = el("div", { class: "strip-labels" });
  const space = el("div", { class: "strip-space" }, canvas, labels);
  const scroll = el("div", { class: "strip-scroll", tabindex: "0", role: "group", "aria-label": "Timeline by key" }, space);
  const tip = el("div", { class: "strip-tip", role: "status", hidden: true });
  const node = el("div", { class: "strip" }, axis, scroll, tip);
  let rows = [];
  let asOf = null;
  let colours = {};
  let family = "sans-serif";
  let frame = 0;
  let wide = 0;
  let side = 0;
  let high = 0;

  function redraw() {
    if (!frame) frame = requestAnimationFrame(() => { frame = 0; if (!signal.aborted) draw(); });
  }

  function learn() {
    family = getComputedStyle(document.body).fontFamily;
    const probe = el("i", { class: "sr" });
    document.body.append(probe);
    for (const name of TOKENS) {
      probe.style.color = `var(--${name})`;
      colours[name] = getComputedStyle(probe).color;
    }
    probe.remove();
  }

  function measure() {
    wide = scroll.clientWidth;
    high = scroll.clientHeight;
    side = wide < 620 ? 112 : wide < 1400 ? 200 : 260;
    node.style.setProperty("--side", `${side}px`);
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    for (const [one, tall] of [[canvas, high], [axis, AXIS]]) {
      one.width = Math.max(1, Math.round(wide * ratio));
      one.height = Math.max(1, Math.round(tall * ratio));
      one.style.width = `${wide}px`;
      one.style.height = `${tall}px`;
      one.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
  }

  const x = (at) => side + scale.x(at, wide - side);

  function draw() {
    if (scroll.clientWidth !== wide || scroll.clientHeight !== high) measure();
    if (!wide) return;
    const marks = scale.marks(wide - side, wide < 620 ? 70 : 96);
    drawAxis(axis.getContext("2d"), marks);
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, wide, high);
    pen.save();
    pen.beginPath();
    pen.rect(side, 0, wide - side, high);
    pen.clip();
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    for (const [at] of marks) line(pen, x(at));
    const first = Math.max(0, Math.floor(scroll.scrollTop / ROW));
    const last = Math.min(rows.length, Math.ceil((scroll.scrollTop + high) / ROW));
    for (let place = first; place < last; place += 1) drawRow(pen, rows[place], place * ROW - scroll.scrollTop);
    pen.setLineDash([]);
    pen.strokeStyle = colours["line-strong"];
    line(pen, x(Date.now()));
    if (asOf !== null) {
      pen.strokeStyle = colours.warn;
      pen.lineWidth = 2;
      line(pen, x(asOf));
    }
    pen.restore();
    drawLabels(first, last);
  }

  function line(pen, at) {
    if (at < side - 1 || at > wide + 1) return;
    pen.beginPath();
    pen.moveTo(Math.round(at) + 0.5, 0);
    pen.lineTo(Math.round(at) + 0.5, high);
    pen.stroke();
  }

  function drawAxis(pen, marks) {
    pen.clearRect(0, 0, wide, AXIS);
    pen.font = `12px ${family}`;
    pen.textBaseline = "middle";
    pen.fillStyle = colours.soft;
    for (const [at, label] of marks) if (x(at) >= side - 1) pen.fillText(label, x(at) + 4, AXIS / 2);
    if (asOf !== null && x(asOf) >= side && x(asOf) <= wide) {
      pen.fillStyle = colours.warn;
      pen.beginPath();
      pen.moveTo(x(asOf) - 6, AXIS - 8);
      pen.lineTo(x(asOf) + 6, AXIS - 8);
      pen.lineTo(x(asOf), AXIS);
      pen.fill();
    }
  }

  function drawRow(pen, row, top) {
    pen.fillStyle = colours.line;
    pen.fillRect(0, top + ROW - 1, wide, 1);
    let drawn = -1;
    row.spans.forEach((span, place) => {
      const [from, to] = [x(span.said0), x(Math.min(span.said1, asOf ?? Date.now()))];
      const before = span.said1 !== Infinity && asOf === null;
      if (Math.max(to, x(span.true1)) < side || Math.min(from, x(span.true0)) > wide) return;
      if (row.spans.length > 60 && to - from < 0.5 && Math.round(from) === drawn) return; // thousands of versions on one pixel
      drawn = Math.round(from);
      pen.globalAlpha = before ? 0.35 : 1;
      bar(pen, x(span.true0), x(span.true1), top + 9, 9, span.true1 !== Infinity);
      pen.globalAlpha = 1;
      belief(pen, from, to, top + 27, 22, span, before, place > 0);
    });
  }

  function bar(pen, from, to, y, tall, ends) {
    const [left, right] = [Math.max(side - 10, from), Math.min(wide + 10, to)];
    if (to < from) { // it had ended before it was said
      pen.fillStyle = colours.accent;
      pen.fillRect(to - 2, y - 3, 3, tall + 6);
      return;
    }
    if (right < left) return;
    pen.fillStyle = colours["accent-soft"];
    pen.strokeStyle = colours.accent;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.roundRect(left, y, Math.max(2, right - left), tall, [3, ends ? 0 : 3, ends ? 0 : 3, 3]);
    pen.fill();
    pen.stroke();
    pen.fillStyle = colours.accent;
    if (ends) pen.fillRect(right - 2, y - 3, 3, tall + 6); // it ended here
  }

  /** What was believed, with its text where there is room. */
  function belief(pen, from, to, y, tall, span, before, isChange) {
    const [left, right] = [Math.max(side - 10, from), Math.min(wide + 10, to)];
    if (right < left) return;
    const width = Math.max(2, right - left);
    pen.fillStyle = before ? colours.raised : colours["accent-soft"];
    pen.fillRect(left, y, width, tall);
    pen.fillStyle = isChange ? colours.accent : colours["line-strong"];
    pen.fillRect(left, y, Math.min(2, width), tall);
    if (before) { pen.fillStyle = colours["line-strong"]; pen.fillRect(right - 1, y, 1, tall); } else if (to <= wide) { pen.fillStyle = colours.accent; arrow(pen, right, y, tall); } // it goes on
    if (right - Math.max(left, side) < 44) return;
    pen.save();
    pen.beginPath();
    pen.rect(Math.max(left, side), y, right - Math.max(left, side) - 4, tall);
    pen.clip();
    pen.font = `12px ${family}`;
    pen.textBaseline = "middle";
    pen.fillStyle = before ? colours.soft : colours.ink;
    pen.fillText(span.summary, Math.max(left, side) + 8, y + tall / 2 + 0.5);
    pen.restore();
  }

  function arrow(pen, at, y, tall) {
    pen.beginPath();
    pen.moveTo(at - 1, y);
    pen.lineTo(at + 6, y + tall / 2);
    pen.lineTo(at - 1, y + tall);
    pen.fill();
  }

  function drawLabels(first, last) {
    const known = new Map([...labels.children].map((one) => [one.dataset.id, one]));
    const wanted = [];
    for (let place = first; place < last; place += 1) {
      const id = `${rows[place].ns}\n${rows[place].key}\n${rows[place].spans.length} ${side}`;
      const label = known.get(id) || made(rows[place], id);
      label.style.setProperty("--top", `${place * ROW}px`);
      label.dataset.place = String(place);
      wanted.push(label);
    }
    for (const [id, one] of known) if (!wanted.some((other) => other.dataset.id === id) && one !== document.activeElement) one.remove();
    for (const one of wanted) if (!one.isConnected) labels.append(one);
  }

  function made(row, id) {
    return el("a", { class: "strip-label", href: href("memory", row.ns, row.key), dataset: { id }, title: said(row) }, el("b", { dir: "auto" }, middle(row.key, side < 150 ? 7 : 12)), el("span", null, row.ns), lastChange(row), el("span", { class: "sr" }, said(row)));
  }

  /** What the last version changed, in a few words. */
  function lastChange({ spans }) {
    const [before, now] = spans.slice(-2);
    if ((now || before).said1 !== Infinity) return el("span", { class: "strip-change" }, "deleted");
    if (!now) return before.true1 !== Infinity ? el("span", { class: "strip-change" }, "ended") : null;
    const found = firstChange(before.summary, now.summary);
    if (!found) return el("span", { class: "strip-change" }, before.summary === now.summary ? "details changed" : "rewritten");
    return el("span", { class: "strip-change", dir: "ltr" }, found[0] && el("del", null, el("bdi", null, found[0])), found[0] && found[1] && " → ", found[1] && el("ins", null, el("bdi", null, found[1])));
  }

  function hit(event) {
    const box = scroll.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top + scroll.scrollTop];
    const row = rows[Math.floor(py / ROW)];
    if (!row || px < side) return null;
    const lane = (py % ROW) < 22 ? ["true0", "true1"] : ["said0", "said1"];
    const span = [...row.spans].reverse().find((one) => x(one[lane[0]]) - 3 <= px && px <= Math.max(x(one[lane[1]]), x(one[lane[0]]) + 3) + 3) || null;
    return span ? { row, span, px, py: event.clientY - box.top } : null;
  }

  function hover(event) {
    const found = hit(event);
    tip.hidden = !found;
    canvas.classList.toggle("on-span", Boolean(found));
    if (!found) return;
    const { row, span, px, py } = found;
    const before = row.spans[row.spans.indexOf(span) - 1];
    const [less, more] = before ? words(before.summary, span.summary, { marks: ["del", "ins"], alike: 0.2 }) : [null, null];
    put(tip, el("b", null, `${row.key} · version ${span.version}`), before && el("span", { class: "strip-before" }, less || el("del", null, before.summary)), el("span", null, more || span.summary), el("span", { class: "soft" }, lasts("true", span.true0, span.true1)), el("span", { class: "soft" }, lasts("believed", span.said0, span.said1)));
    tip.style.setProperty("--x", `${Math.max(8, Math.min(px + 12, wide - 300))}px`);
    tip.style.setProperty("--y", `${Math.max(8, py + AXIS + 16 > high - 60 ? py + AXIS - 110 : py + AXIS + 16)}px`);
  }

  // dragging pans, two fingers zoom, a wheel with Ctrl or Shift does both
  const down = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => { down.set(event.pointerId, event.clientX); moved = 0; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    if (!down.has(event.pointerId)) { hover(event); return; }
    const before = down.get(event.pointerId);
    const others = [...down].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    down.set(event.pointerId, event.clientX);
    moved += Math.abs(event.clientX - before);
    if (others.length) {
      const [old, now] = [Math.abs(before - others[0]), Math.abs(event.clientX - others[0])];
      if (old > 10 && now > 10) scale.zoom(old / now, share((event.clientX + others[0]) / 2));
    } else scale.pan((before - event.clientX) / (wide - side));
    tip.hidden = true;
    redraw();
  });
  const up = (event) => {
    const found = down.delete(event.pointerId) && moved < 5 && event.type === "pointerup" ? hit(event) : null;
    if (found) onopen(found.row, found.span);
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  scroll.addEventListener("scroll", () => { tip.hidden = true; redraw(); });
  scroll.addEventListener("wheel", (event) => {
    if (event.ctrlKey || event.metaKey) scale.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 150), share(event.clientX));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) scale.pan((event.deltaX || event.deltaY) / (wide - side));
    else return;
    event.preventDefault();
    redraw();
  }, { passive: false });
  const share = (clientX) => Math.max(0, Math.min(1, (clientX - scroll.getBoundingClientRect().left - side) / (wide - side)));
  const watch = new ResizeObserver(() => { wide = 0; redraw(); });
  watch.observe(scroll);
  const theme = () => { learn(); redraw(); };
  window.addEventListener("ghost:theme", theme, { signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme, { signal });
  signal.addEventListener("abort", () => { watch.disconnect(); cancelAnimationFrame(frame); }, { once: true });
  learn();

  return {
    node,
    redraw,
    show(next, at) {
      rows = next;
      asOf = at;
      space.style.setProperty("--high", `${rows.length * ROW}px`);
      labels.replaceChildren();
      redraw();
    },
    /** Move the focus among rows by so many. */
    focusRow(by) {
      const at = document.activeElement?.classList?.contains("strip-label") ? Number(document.activeElement.dataset.place) + by : 0;
      const place = Math.max(0, Math.min(rows.length - 1, at));
      if (!rows.length) return false;
      if (place * ROW < scroll.scrollTop) scroll.scrollTop = place * ROW;
      else if ((place + 1) * ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = (place + 1) * ROW - scroll.clientHeight;
      draw();
      labels.querySelector(`[data-place="${place}"]`)?.focus({ preventScroll: true });
      return true;
    },
  };
}

const lasts = (word, from, to) => to < from ? `${word} until ${when(to)}` : `${word} ${when(from)} – ${to === Infinity ? (word === "true" ? "still true" : "now") : when(to)}`;

/** Say a row in words. */
export function said(row) {
  const last = row.spans.at(-1);
  return `${row.key} in ${row.ns}, ${row.spans.length === 1 ? "one version" : `${row.spans.length} versions`}; version ${last.version}: ${lasts("true", last.true0, last.true1)}, ${lasts("believed", last.said0, last.said1)}`;
}
