"use client";

import { useEffect } from "react";
import { usePreference } from "@/core/preferences/use-preference";

/** Applies the chosen theme and density, also after changes in another tab or of the system's colours. */
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

/** Gives the browser's own bars the colour of the page. */
function colourBrowser(): void {
  const colour = getComputedStyle(document.documentElement).getPropertyValue("--background").trim();
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = colour;
}
