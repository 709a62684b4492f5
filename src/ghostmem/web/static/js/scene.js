// Draws a graph on a canvas. A picture larger than the window is kept: while one moves it is only shifted, and what is missing is
// drawn with the heaviest edges alone; once one rests everything is drawn, with dashes, arrows and names.
import { camera } from "./camera.js";
import { colours, drawClusters, drawEdge, drawEdges, drawLabels, drawName, drawNode, drawNodes, nameEdge, radius } from "./paint.js";

const MARGIN = 240; // pixels kept beyond each side of the window
const REST = 140; // milliseconds without a movement
const QUICK = 10; // milliseconds: a picture that is drawn so fast is never kept

/** Return a scene on a canvas; `told.chosen(node)` and `told.hovered(node)` hear places in the list of nodes, or -1. */
export function scene(canvas, told, signal) {
  const context = canvas.getContext("2d");
  const back = document.createElement("canvas");
  const kept = { ok: false, full: false, x: 0, y: 0, scale: 1 };
  const graph = { nodes: [], edges: [], x: new Float32Array(0), y: new Float32Array(0), shown: [], lines: [], groups: [], beside: [] };
  const look = { rels: new Set(), tiers: new Set(), groups: new Set(), groupOf: null, weight: 0, weak: false, loose: true };
  let paints = colours();
  let chosen = -1;
  let hovered = -1;
  let width = 1;
  let height = 1;
  let ratio = 1;
  let frame = 0;
  let rest = 0;
  let cost = 0; // milliseconds of the last whole picture
  let moved = false; // by the user: then it is not fitted any more
  const view = camera(canvas, { changed: moving, clicked, pointed, size: () => ({ width, height }) }, signal);

  const room = new ResizeObserver(() => resize());
  room.observe(canvas);
  signal.addEventListener("abort", () => { room.disconnect(); cancelAnimationFrame(frame); clearTimeout(rest); }, { once: true });
  const recolour = () => { paints = colours(); spoil(); };
  window.addEventListener("ghost:theme", recolour, { signal });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour, { signal });

  function resize() {
    const box = canvas.getBoundingClientRect();
    if (!box.width || !box.height) return;
    const first = width === 1;
    width = box.width;
    height = box.height;
    ratio = Math.min(2, window.devicePixelRatio || 1);
    for (const [one, extra] of [[canvas, 0], [back, 2 * MARGIN]]) {
      one.width = Math.round((width + extra) * ratio);
      one.height = Math.round((height + extra) * ratio);
    }
    if (first || !moved) fit();
    spoil();
  }

  function spoil() {
    kept.ok = false;
    ask();
  }

  function ask() {
    if (!frame) frame = requestAnimationFrame(draw);
  }

  function moving(byUser = true) {
    moved ||= byUser;
    clearTimeout(rest);
    rest = setTimeout(() => { rest = 0; if (!kept.full || kept.scale !== view.scale || outside()) ask(); }, REST);
    ask();
  }

  function outside() {
    return Math.abs(view.x - kept.x) * view.scale > MARGIN || Math.abs(view.y - kept.y) * view.scale > MARGIN;
  }

  function draw() {
    frame = 0;
    const began = performance.now();
    const still = !rest;
    const close = kept.ok && kept.scale / view.scale < 1.6 && view.scale / kept.scale < 1.6;
    const good = cost < QUICK ? same() : still ? kept.full && kept.scale === view.scale && !outside() : close && !outside();
    if (!kept.ok || !good) paint(still || cost < QUICK);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const zoom = view.scale / kept.scale;
    const left = width / 2 + (kept.x - view.x) * view.scale - (width / 2 + MARGIN) * zoom;
    const top = height / 2 + (kept.y - view.y) * view.scale - (height / 2 + MARGIN) * zoom;
    context.drawImage(back, left, top, (width + 2 * MARGIN) * zoom, (height + 2 * MARGIN) * zoom);
    overlay();
    canvas.dataset.frame = String(Number(canvas.dataset.frame || 0) + 1);
    canvas.dataset.drawn = (performance.now() - began).toFixed(1);
  }

  function same() {
    return kept.full && kept.scale === view.scale && kept.x === view.x && kept.y === view.y;
  }

  /** Draw the picture that is kept: whole, or while one moves only what is quick. */
  function paint(full) {
    const began = performance.now();
    const brush = back.getContext("2d");
    Object.assign(kept, { ok: true, full, x: view.x, y: view.y, scale: view.scale });
    brush.setTransform(1, 0, 0, 1, 0, 0);
    brush.clearRect(0, 0, back.width, back.height);
    brush.setTransform(ratio, 0, 0, ratio, (width / 2 + MARGIN) * ratio, (height / 2 + MARGIN) * ratio);
    const frameOf = { x: view.x, y: view.y, scale: view.scale, halfWidth: width / 2 + MARGIN, halfHeight: height / 2 + MARGIN };
    const dim = chosen >= 0;
    drawClusters(brush, graph, frameOf, paints);
    drawEdges(brush, graph, frameOf, paints, full, dim);
    drawNodes(brush, graph, frameOf, paints, dim);
    if (full && !dim) drawLabels(brush, graph, frameOf, paints);
    if (full) cost = performance.now() - began;
  }

  /** Draw what is chosen and pointed at above the picture. */
  function overlay() {
    context.setTransform(ratio, 0, 0, ratio, (width / 2) * ratio, (height / 2) * ratio);
    const frameOf = { x: view.x, y: view.y, scale: view.scale, halfWidth: width / 2, halfHeight: height / 2 };
    const taken = new Set();
    if (chosen >= 0 && graph.shown[chosen]) {
      const around = (graph.beside[chosen] || []).filter((edge) => graph.lines[edge]);
      const ends = [...new Set(around.map((edge) => (graph.edges[edge].source === chosen ? graph.edges[edge].target : graph.edges[edge].source)))];
      for (const edge of around) drawEdge(context, graph, frameOf, paints, edge);
      for (const node of ends) drawNode(context, graph, frameOf, paints, node, "");
      drawNode(context, graph, frameOf, paints, chosen, "chosen");
      drawName(context, graph, frameOf, paints, chosen, taken, true);
      for (const node of ends.slice(0, 60)) drawName(context, graph, frameOf, paints, node, taken);
      if (around.length <= 40) for (const edge of around) nameEdge(context, graph, frameOf, paints, edge, taken);
    }
    if (hovered < 0 || hovered === chosen || !graph.shown[hovered]) return;
    drawNode(context, graph, frameOf, paints, hovered, "hovered");
    drawName(context, graph, frameOf, paints, hovered, new Set(), true);
  }

  function find(px, py, reach) {
    let best = -1;
    let least = Infinity;
    for (let node = 0; node < graph.nodes.length; node += 1) {
      if (!graph.shown[node]) continue;
      const dx = (graph.x[node] - view.x) * view.scale + width / 2 - px;
      const dy = (graph.y[node] - view.y) * view.scale + height / 2 - py;
      const far = dx * dx + dy * dy;
      const most = Math.max(reach, radius(graph.nodes[node], view.scale) + 4);
      if (far < least && far <= most * most) { least = far; best = node; }
    }
    return best;
  }

  function clicked(px, py, touch) {
    told.chosen(find(px, py, touch ? 22 : 10));
  }

  function pointed(px, py) {
    const node = px === null ? -1 : find(px, py, 8);
    if (node === hovered) return;
    hovered = node;
    canvas.classList.toggle("pointing", node >= 0);
    told.hovered(node);
    ask();
  }

  /** Take nodes [{key, tier, importance, degree, cluster, pinned}] and edges [{source, target, rel, weight}]. */
  function set(nodes, edges, x, y) {
    Object.assign(graph, { nodes, edges, x, y });
    graph.beside = nodes.map(() => []);
    edges.forEach((edge, place) => { graph.beside[edge.source].push(place); if (edge.target !== edge.source) graph.beside[edge.target].push(place); });
    const groups = new Map();
    nodes.forEach((node, place) => {
      if (node.cluster === undefined || node.cluster === null) return;
      if (!groups.has(node.cluster)) groups.set(node.cluster, []);
      groups.get(node.cluster).push(place);
    });
    graph.groups = [...groups.values()].filter((group) => group.length > 2);
    graph.ranked = nodes.map((_, place) => place).sort((a, b) => weighs(nodes[b]) - weighs(nodes[a]));
    hovered = -1;
    filter({});
  }

  function filter(fields) {
    Object.assign(look, fields);
    graph.group = look.groupOf ? graph.nodes.map(look.groupOf) : null;
    graph.shown = graph.nodes.map((node, place) => !look.tiers.has(node.tier) && !(graph.group && look.groups.has(graph.group[place])));
    graph.lines = graph.edges.map((edge) => !look.rels.has(edge.rel) && edge.weight >= look.weight && (look.weak || !isWeak(edge)) && graph.shown[edge.source] && graph.shown[edge.target]);
    if (!look.loose) {
      const linked = new Set(graph.edges.flatMap((edge, place) => (graph.lines[place] ? [edge.source, edge.target] : [])));
      graph.shown = graph.shown.map((shown, node) => shown && linked.has(node));
    }
    graph.order = graph.edges.map((_, place) => place).filter((place) => graph.lines[place]).sort((a, b) => graph.edges[b].weight - graph.edges[a].weight);
    spoil();
  }

  function place(x, y, settled) {
    Object.assign(graph, { x, y });
    if (!moved) fit();
    if (!settled) moving(false);
    spoil();
  }

  function fit() {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let node = 0; node < graph.nodes.length; node += 1) {
      if (!graph.shown[node]) continue;
      left = Math.min(left, graph.x[node]); right = Math.max(right, graph.x[node]);
      top = Math.min(top, graph.y[node]); bottom = Math.max(bottom, graph.y[node]);
    }
    if (left > right) return;
    const below = width < 620 ? 52 : 0; // a phone has the buttons over the foot of the map
    const scale = Math.min((width - Math.min(140, width / 3)) / Math.max(1, right - left), (height - below - 90) / Math.max(1, bottom - top), 2.8);
    const byUser = moved;
    view.to((left + right) / 2, (top + bottom) / 2 + below / 2 / scale, scale);
    moved = byUser;
  }

  function choose(node, show = false) {
    chosen = node;
    if (show && node >= 0) {
      const px = (graph.x[node] - view.x) * view.scale;
      const py = (graph.y[node] - view.y) * view.scale;
      if (Math.abs(px) > width / 2 - 60 || Math.abs(py) > height / 2 - 40) view.to(graph.x[node], graph.y[node], Math.max(view.scale, 0.6));
    }
    spoil();
  }

  return {
    set, filter, place, choose,
    fit: () => { moved = false; fit(); ask(); },
    zoom: (by) => view.zoom(by),
    pan: (dx, dy) => view.pan(dx, dy),
    shows: (node) => Boolean(graph.shown[node]),
    aspect: () => width / height,
    counts: () => ({ nodes: graph.shown.filter(Boolean).length, edges: graph.lines.filter(Boolean).length }),
    /** Where a node is, in pixels of the canvas. */
    at: (key) => {
      const node = graph.nodes.findIndex((one) => one.key === key);
      return node < 0 ? null : { x: (graph.x[node] - view.x) * view.scale + width / 2, y: (graph.y[node] - view.y) * view.scale + height / 2 };
    },
    view: () => ({ x: view.x, y: view.y, scale: view.scale, full: kept.ok && kept.full && !rest }),
  };
}

const WEAK = 0.4;
/** Say whether a link was only inferred from likeness, and is not strong. */
export const isWeak = (edge) => edge.rel === "relates_to" && Boolean(edge.automatic) && edge.weight < WEAK;

const weighs = (node) => (node.pinned ? 3 : 0) + node.importance * 2 + Math.log2(1 + node.degree);
