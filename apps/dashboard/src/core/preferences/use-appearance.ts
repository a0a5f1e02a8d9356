"use client";

import { useEffect } from "react";
import { usePreference } from "@/core/preferences/use-preference";

/** Keeps theme and density of the page as they are chosen, here or in another tab, and as the system changes its colours. */
export function useAppearance(): void {
  const [theme] = usePreference("theme");
  const [density] = usePreference("density");

  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
      const isDark = theme === "dark" || (theme === "system" && system.matches);
      document.documentElement.classList.toggle("dark", isDark);
      colourBrowser();
    };
    apply();
    system.addEventListener("change", apply);
    return () => system.removeEventListener("change", apply);
  }, [theme]);

  useEffect(() => {
    document.documentElement.dataset["density"] = density;
  }, [density]);
}

/** The browser's own bars take the colour of the page. */
function colourBrowser(): void {
  const colour = getComputedStyle(document.documentElement).getPropertyValue("--background").trim();
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = colour;
}
