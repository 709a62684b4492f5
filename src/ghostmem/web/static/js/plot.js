// Small plots: bars, columns, lines, sparklines and a gauge. Each is a <figure> with a title and, for those who read rather than
// look, a table of the same numbers. Colours come from the tokens of base.css; no series is told by its colour alone.
import { el, put, svg } from "./dom.js";
import { number } from "./words.js";

let made = 0;

/** Rows of {name, count, label?, tone?, href?} as bars that lie; it is a table itself. */
export function bars({ title, about = "", rows, most = Math.max(1, ...rows.map((row) => row.count)), unit = "" }) {
  return el(
    "figure", { class: "plot" },
    caption(title, about),
    rows.length
      ? el("table", { class: "plot-bars" }, el("caption", { class: "sr" }, title), el("tbody", null, rows.map((row) => el(
        "tr", null,
        el("th", { scope: "row", title: row.name }, row.label || row.name),
        el("td", { class: "track" }, el("i", { class: row.tone ? `tone-${row.tone}` : "", vars: { "--share": `${(100 * row.count) / most}%` } })),
        el("td", { class: "num" }, number(row.count), unit),
      ))))
      : el("p", { class: "soft" }, "nothing yet"),
  );
}

const caption = (title, about) => el("figcaption", null, el("h3", null, title), about && el("p", { class: "soft" }, about));

/**
 * A plot of `draw({width, height, ...})` that is drawn anew when its width changes. `names` are the columns' names, `series` are
 * [{name, label, values, tone, dash?}]. A cursor follows the pointer or the arrow keys and says the numbers; `note(place)` adds words.
 */
function framed({ title, about = "", names, series, height = 180, note = () => "", draw, legend = true }) {
  made += 1;
  const id = `plot-${made}`;
  const holder = el("div", { class: "plot-holder" });
  const tip = el("div", { class: "plot-tip", role: "status", hidden: true });
  let width = 0;
  let place = -1;
  let shown = null;

  function redraw() {
    if (!width) return;
    shown = draw({ width, height });
    const line = svg("line", { class: "plot-cursor", y1: shown.top, y2: shown.bottom, visibility: "hidden" });
    const picture = svg(
      "svg",
      { class: "plot-picture", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: 0, "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-table`, onpointermove: point, onpointerleave: leave, onkeydown: step, onblur: leave },
      shown.nodes, line,
    );
    put(holder, picture, tip);
  }

  function at(next) {
    place = Math.max(0, Math.min(names.length - 1, next));
    const x = shown.across(place);
    const line = holder.querySelector(".plot-cursor");
    line.setAttribute("visibility", "visible");
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    put(tip, el("b", null, names[place]), series.map((one) => el("span", null, swatch(one), one.label, " ", el("b", null, number(one.values[place])))), note(place) && el("span", { class: "soft" }, note(place)));
    tip.hidden = false;
    tip.classList.toggle("left", x > width / 2);
    tip.style.setProperty("--at", `${x > width / 2 ? width - x : x}px`);
  }

  function point(event) {
    const box = holder.getBoundingClientRect();
    at(shown.nearest(event.clientX - box.left));
  }

  function leave() {
    place = -1;
    tip.hidden = true;
    holder.querySelector(".plot-cursor")?.setAttribute("visibility", "hidden");
  }

  function step(event) {
    const next = { ArrowRight: place + 1, ArrowLeft: place < 0 ? names.length - 1 : place - 1, Home: 0, End: names.length - 1 }[event.key];
    if (event.key === "Escape" && place >= 0) { event.stopPropagation(); leave(); }
    if (next === undefined) return;
    event.preventDefault();
    at(next);
  }

  new ResizeObserver(([entry]) => {
    const now = Math.floor(entry.contentRect.width);
    if (now && now !== width) { width = now; redraw(); }
  }).observe(holder);
  holder.style.setProperty("--height", `${height}px`);
  return el(
    "figure", { class: "plot" },
    el("figcaption", null, el("h3", { id: `${id}-title` }, title), about && el("p", { class: "soft" }, about)),
    legend && series.length > 1 && el("ul", { class: "plot-legend" }, series.map((one) => el("li", null, swatch(one), one.label))),
    holder,
    el(
      "details", { class: "plot-table" }, el("summary", null, "As a table"),
      el("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": `${title}: table` }, el(
        "table", { id: `${id}-table` }, el("caption", { class: "sr" }, title),
        el("thead", null, el("tr", null, el("th", { scope: "col" }, ""), series.map((one) => el("th", { scope: "col" }, one.label)))),
        el("tbody", null, names.map((name, row) => el("tr", null, el("th", { scope: "row" }, name), series.map((one) => el("td", { class: "num" }, number(one.values[row])))))),
      )),
    ),
  );
}

const swatch = (one) => svg("svg", { class: `swatch tone-${one.tone}`, width: 16, height: 10, "aria-hidden": "true" }, one.line ? svg("line", { x1: 0, y1: 5, x2: 16, y2: 5, "stroke-dasharray": one.dash || null }) : svg("rect", { width: 16, height: 10, rx: 2, class: one.pattern || "" }));

/** Return round numbers from nothing up to at least `most`. */
export function ticks(most) {
  const raw = Math.max(1, most) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw));
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, place) => place * step);
}

/** Return which labels have room, counted from the last: all (1), every second (2), and so on. `spacing` is the pixels between two columns. */
function labelStep(labels, spacing) {
  const wide = (label) => label.length * 7.5;
  const fits = (step) => {
    const shown = labels.filter((_, place) => (labels.length - 1 - place) % step === 0);
    return shown.every((label, place) => place === 0 || (wide(label) + wide(shown[place - 1])) / 2 + 12 <= step * spacing);
  };
  let step = 1;
  while (step < labels.length && !fits(step)) step += 1;
  return step;
}

/** The grid and the words of both axes. */
function axes({ width, height, names, most, across, short, bottom = height - 22, top = 8, left }) {
  const scale = ticks(most);
  const highest = scale.at(-1);
  const y = (value) => bottom - ((bottom - top) * value) / highest;
  const step = labelStep(names.map(short), (width - left) / names.length);
  return {
    y, top, bottom,
    nodes: [
      scale.map((value) => [
        svg("line", { class: "grid", x1: left, x2: width, y1: y(value), y2: y(value) }),
        svg("text", { class: "tick", x: left - 8, y: y(value) + 4, "text-anchor": "end" }, number(value)),
      ]),
      names.map((name, place) => ((names.length - 1 - place) % step === 0 ? svg("text", { class: "tick", x: Math.min(width - short(name).length * 3.2, Math.max(left + short(name).length * 3.2, across(place))), y: height - 4, "text-anchor": "middle" }, short(name)) : null)),
    ],
  };
}

const gutter = (most) => 16 + 7 * number(ticks(most).at(-1)).length;

/** Columns that stand, one for each of `rows` ({name, count}). */
export function columns({ title, about, rows, tone = "accent", label = "memories", height = 170, short = (name) => name }) {
  const series = [{ label, values: rows.map((row) => row.count), tone }];
  const most = Math.max(1, ...series[0].values);
  return framed({
    title, about, height, series, names: rows.map((row) => row.name),
    draw: ({ width }) => {
      const left = gutter(most);
      const wide = (width - left) / rows.length;
      const across = (place) => left + wide * (place + 0.5);
      const frame = axes({ width, height, names: rows.map((row) => row.name), most, across, short, left });
      return {
        ...frame, across,
        nearest: (x) => Math.floor((x - left) / wide),
        nodes: [frame.nodes, rows.map((row, place) => svg("rect", { class: `tone-${tone} column`, x: across(place) - Math.min(28, wide * 0.36), width: Math.min(56, wide * 0.72), y: frame.y(row.count), height: Math.max(0, frame.bottom - frame.y(row.count)), rx: 2 }))],
      };
    },
  });
}

/** Lines over days: `series` of {label, values, tone, dash}. */
export function lines({ title, about, names, series, height = 180, short = (name) => name }) {
  const most = Math.max(1, ...series.flatMap((one) => one.values));
  return framed({
    title, about, height, names, series: series.map((one) => ({ ...one, line: true })),
    draw: ({ width }) => {
      const left = gutter(most);
      const step = (width - left - 6) / Math.max(1, names.length - 1);
      const across = (place) => left + step * place;
      const frame = axes({ width, height, names, most, across, short, left });
      return {
        ...frame, across,
        nearest: (x) => Math.round((x - left) / step),
        nodes: [frame.nodes, series.map((one) => svg("polyline", { class: `tone-${one.tone} line`, points: one.values.map((value, place) => `${across(place)},${frame.y(value)}`).join(" "), "stroke-dasharray": one.dash || null }))],
      };
    },
  });
}

/** Columns above and below a line: `up` and `down` are lists of {label, values, tone}; `events` are places with a mark below. */
export function signedColumns({ title, about, names, up, down, height = 240, short = (name) => name, events = [], note }) {
  const sum = (list, place) => list.reduce((all, one) => all + one.values[place], 0);
  const most = Math.max(1, ...names.map((_, place) => sum(up, place)));
  const least = Math.max(0, ...names.map((_, place) => sum(down, place)));
  return framed({
    title, about, height, names, note, series: [...up, ...down],
    draw: ({ width }) => {
      const left = gutter(Math.max(most, least));
      const wide = (width - left) / names.length;
      const across = (place) => left + wide * (place + 0.5);
      const share = (most / (most + least)) * (height - 48);
      const middle = 8 + Math.max(24, least ? share : height - 48);
      const frame = axes({ width, height, names, most, across, short, left, bottom: middle });
      const unit = (middle - 8) / ticks(most).at(-1);
      const low = Math.min(height - 34, middle + least * unit);
      const fit = least ? Math.min(unit, (height - 40 - middle) / least) : unit;
      const stack = (list, place, sign) => {
        let at = middle;
        return list.map((one) => {
          const tall = one.values[place] * (sign > 0 ? unit : fit);
          const y = sign > 0 ? at - tall : at;
          at += sign > 0 ? -tall : tall;
          return tall > 0 && svg("rect", { class: `tone-${one.tone} column`, x: across(place) - Math.min(20, wide * 0.36), width: Math.min(40, wide * 0.72), y, height: Math.max(1, tall), rx: 1.5 });
        });
      };
      const dots = events.map((place) => svg("path", { class: "event", d: `M${across(place)} ${height - 30}l5 6h-10z` }));
      return {
        ...frame, bottom: Math.max(low, middle), across,
        nearest: (x) => Math.floor((x - left) / wide),
        nodes: [frame.nodes.slice(0, 1), names.map((_, place) => [stack(up, place, 1), stack(down, place, -1)]), svg("line", { class: "zero", x1: left, x2: width, y1: middle, y2: middle }), dots, frame.nodes.slice(1)],
      };
    },
  });
}

/** The course of a few numbers as a small line, on a scale of its own. */
export function sparkline(values, label, [width, height] = [160, 36]) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (place) => (place / Math.max(1, values.length - 1)) * width;
  const y = (value) => (high === low ? height / 2 : height - 3 - ((value - low) / (high - low)) * (height - 6));
  const points = values.map((value, place) => `${x(place).toFixed(1)},${y(value).toFixed(1)}`);
  return svg(
    "svg", { class: "sparkline", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("polygon", { class: "spark-area", points: [`0,${height}`, ...points, `${width},${height}`].join(" ") }),
    svg("polyline", { class: "spark-line", points: points.join(" ") }),
  );
}

/** A score from 0 to 100 on an arc, with its words. */
export function gauge({ title, score, words }) {
  const turn = (share) => { const angle = Math.PI * (1 - share); return `${90 + 72 * Math.cos(angle)} ${88 - 72 * Math.sin(angle)}`; };
  const tone = score >= 85 ? "good" : score >= 60 ? "warn" : "bad";
  return el(
    "figure", { class: "plot gauge" },
    svg(
      "svg", { viewBox: "0 0 180 104", role: "img", "aria-label": `${title}: ${score} of 100, ${words}` },
      svg("path", { class: "gauge-track", d: `M${turn(0)}A72 72 0 0 1 ${turn(1)}` }),
      score > 0 && svg("path", { class: `gauge-fill tone-${tone}`, d: `M${turn(0)}A72 72 0 0 1 ${turn(Math.min(1, score / 100))}` }),
      svg("text", { class: "gauge-score", x: 90, y: 82, "text-anchor": "middle" }, String(score)),
      svg("text", { class: "tick", x: 90, y: 100, "text-anchor": "middle" }, "of 100"),
    ),
    el("figcaption", null, el("h3", null, title), el("p", { class: `gauge-words tone-${tone}` }, words)),
  );
}
