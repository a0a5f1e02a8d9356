"use client";

import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { getPreferences } from "@/core/preferences/preference-store";
import { ShortcutRegistry } from "./shortcut-registry";

const ShortcutContext = createContext<ShortcutRegistry | null>(null);

/** Handles keyboard shortcuts for all components below it. */
export function ShortcutProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new ShortcutRegistry(() => getPreferences().letterKeys));
  useEffect(() => {
    const handle = (event: KeyboardEvent) => registry.handle(event);
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, [registry]);
  return <ShortcutContext value={registry}>{children}</ShortcutContext>;
}

export function useShortcutRegistry(): ShortcutRegistry {
  const registry = use(ShortcutContext);
  if (registry === null) throw new Error("Shortcuts are used outside of ShortcutProvider.");
  return registry;
}
