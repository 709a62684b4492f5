// How many decisions wait in the chosen namespace: contradictions and quarantined memories.
import { get } from "./api.js";
import { onChange } from "./live.js";
import { ns, onNs } from "./state.js";

const PAUSE = 3000; // milliseconds between two questions to the server

/** Call `show(count)` now and whenever the number may have changed. */
export function watchWaiting(show) {
  let timer = 0;
  let asked = 0;

  async function load() {
    timer = 0;
    asked += 1;
    const mine = asked;
    try {
      const { contradictions, quarantine } = await get("/waiting", { ns: ns() });
      if (mine === asked) show(contradictions + quarantine);
    } catch { /* the badge stays as it is; the screen itself says what is wrong */ }
  }

  onNs(() => { clearTimeout(timer); load(); });
  window.addEventListener("ghost:change", () => { clearTimeout(timer); load(); });
  onChange(() => { timer = timer || setTimeout(load, PAUSE); });
  load();
}
