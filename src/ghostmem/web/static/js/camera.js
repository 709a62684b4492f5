// Moving over a canvas: dragging, the wheel, two fingers, and whatever else calls pan() and zoom().

const NEAREST = 6;
const FARTHEST = 0.01;
const SLIP = 4; // pixels that a click may slip

/** Return {x, y, scale, to(), pan(), zoom()}: the place in the middle of the window and the pixels per unit. */
export function camera(canvas, { changed, clicked, pointed, size }, signal) {
  const view = { x: 0, y: 0, scale: 1, to, pan, zoom };
  const fingers = new Map();
  let travelled = 0;

  function to(x, y, scale) {
    view.x = x;
    view.y = y;
    view.scale = Math.min(NEAREST, Math.max(FARTHEST, scale));
    changed();
  }

  function pan(dx, dy) {
    to(view.x - dx / view.scale, view.y - dy / view.scale, view.scale);
  }

  function zoom(by, px = size().width / 2, py = size().height / 2) {
    const { width, height } = size();
    const x = view.x + (px - width / 2) / view.scale;
    const y = view.y + (py - height / 2) / view.scale;
    const scale = Math.min(NEAREST, Math.max(FARTHEST, view.scale * by));
    to(x - (px - width / 2) / scale, y - (py - height / 2) / scale, scale);
  }

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const listen = (name, fn) => canvas.addEventListener(name, fn, { signal, passive: false });

  listen("pointerdown", (event) => {
    if (event.button > 0) return;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer made by a program cannot be held */ }
    if (!fingers.size) travelled = 0;
    fingers.set(event.pointerId, place(event));
  });
  listen("pointermove", (event) => {
    const now = place(event);
    const before = fingers.get(event.pointerId);
    if (!before) { if (event.pointerType !== "touch") pointed(...now); return; }
    const others = [...fingers].filter(([id]) => id !== event.pointerId);
    fingers.set(event.pointerId, now);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (!others.length) {
      if (travelled > SLIP) { canvas.classList.add("moving"); pan(dx, dy); }
      return;
    }
    const [ox, oy] = others[0][1];
    const was = Math.hypot(before[0] - ox, before[1] - oy) || 1;
    pan(dx / 2, dy / 2);
    zoom(Math.hypot(now[0] - ox, now[1] - oy) / was, (now[0] + ox) / 2, (now[1] + oy) / 2);
  });
  const lift = (event) => {
    const held = fingers.delete(event.pointerId);
    canvas.classList.remove("moving");
    if (held && event.type === "pointerup" && !fingers.size && travelled <= SLIP) clicked(...place(event), event.pointerType === "touch");
  };
  listen("pointerup", lift);
  listen("pointercancel", lift);
  listen("pointerleave", () => pointed(null, null));
  listen("dblclick", (event) => { event.preventDefault(); zoom(1.8, ...place(event)); });
  listen("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), ...place(event));
  });
  return view;
}
