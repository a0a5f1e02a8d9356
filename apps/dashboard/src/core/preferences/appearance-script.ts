import { preferencesKey } from "@/core/preferences/preferences";

/**
 * Applies theme and density before the first paint, to avoid a flash of the default theme. The script is inline in the page, and
 * its hash is in the content security policy. It is not compiled, so it must run in browsers as written.
 */
export const appearanceScript = `(() => {
  let chosen = {};
  try { chosen = JSON.parse(localStorage.getItem(${JSON.stringify(preferencesKey)})) || {}; } catch {}
  const root = document.documentElement;
  const dark = chosen.theme === "dark" || (chosen.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.classList.toggle("dark", dark);
  root.dataset.density = chosen.density === "compact" ? "compact" : "comfortable";
})()`;
