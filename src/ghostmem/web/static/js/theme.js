// The theme: what the system prefers, unless the user chose. Runs before anything is painted.
(() => {
  let chosen = null;
  try { chosen = localStorage.getItem("ghost.theme"); } catch { /* storage may be switched off */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
