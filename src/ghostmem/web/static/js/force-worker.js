// Arranges a graph beside the page. Takes {id, count, sources, targets, weights, x, y, heat, pause}; tells {id, x, y, done} again and
// again, every `pause` milliseconds. What comes later stops what came before.
import { plan, simulation } from "./force.js";

let current = 0;

self.addEventListener("message", ({ data }) => {
  current = data.id;
  const work = simulation(data);
  const { steps, alpha } = plan(work.linked, data.heat);
  let done = 0;
  const slice = () => {
    if (current !== data.id) return;
    const until = performance.now() + data.pause;
    while (done < steps && performance.now() < until) { work.step(alpha(done)); done += 1; }
    work.rim();
    self.postMessage({ id: data.id, x: data.x, y: data.y, done: done >= steps });
    if (done < steps) setTimeout(slice, 0);
  };
  slice();
});
