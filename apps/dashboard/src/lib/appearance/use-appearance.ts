"use client";

import { useEffect } from "react";
import { usePreference } from "@/lib/preferences/use-preference";

/** Keeps theme and density of the page as they are chosen, here or in another tab, and as the system changes its colours. */
export function useAppearance(): void {
  const [theme] = usePreference("theme");
  const [density] = usePreference("density");

  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const apply = () => {
      const isDark = theme === "dark" || (theme === "system" && system.matches);
      document.documentElement.classList.toggle("dark", isDark);
    };
    apply();
    system.addEventListener("change", apply);
    return () => system.removeEventListener("change", apply);
  }, [theme]);

  useEffect(() => {
    document.documentElement.dataset["density"] = density;
  }, [density]);
}
