"use client";

import { useEffect } from "react";
import { usePreference } from "@/core/preferences/use-preference";

/** Applies the chosen theme and density. Follows changes in other tabs and of the system's colour scheme. */
export function useAppearance(): void {
  const [theme] = usePreference("theme");
  const [density] = usePreference("density");

  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
      const isDark = theme === "dark" || (theme === "system" && system.matches);
      document.documentElement.classList.toggle("dark", isDark);
      setThemeColour();
    };
    apply();
    system.addEventListener("change", apply);
    return () => system.removeEventListener("change", apply);
  }, [theme]);

  useEffect(() => {
    document.documentElement.dataset["density"] = density;
  }, [density]);
}

/** Sets the colour of the browser's own bars to the page's background. */
function setThemeColour(): void {
  const colour = getComputedStyle(document.documentElement).getPropertyValue("--background").trim();
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = colour;
}
