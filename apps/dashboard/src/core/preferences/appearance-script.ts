import { preferencesKey } from "@/core/preferences/preferences";

/**
 * Puts theme and density on the page before it is drawn, so that nobody sees another first. It stands in the page itself,
 * and its hash in the content security policy. Written for browsers as it is: nothing compiles it.
 */
export const appearanceScript = `(() => {
  let chosen = {};
  try { chosen = JSON.parse(localStorage.getItem(${JSON.stringify(preferencesKey)})) || {}; } catch {}
  const root = document.documentElement;
  const dark = chosen.theme === "dark" || (chosen.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.toggle("dark", dark);
  root.dataset.density = chosen.density === "compact" ? "compact" : "comfortable";
})()`;
