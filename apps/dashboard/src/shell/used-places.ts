"use client";

import { useCallback, useSyncExternalStore } from "react";
import { useOfConnection } from "@/broker/use-connection-state";
import { createStoredValue } from "@/core/preferences/stored-value";
import { chosenMesh } from "@/identity/chosen-mesh";

/** The pages that were used, by mesh. A used page stays in the sidebar. */
type UsedPlaces = Readonly<Record<string, readonly string[]>>;

const stored = createStoredValue("merkle.places", parseUsedPlaces);
const none: readonly string[] = [];

/** Returns the pages that this browser has used in this mesh, and a function that adds a page. */
export function useUsedPlaces(): [places: readonly string[], add: (href: string) => void] {
  const mesh = useOfConnection(({ admitted }) => admitted?.mesh, undefined) ?? chosenMesh ?? "main";
  const places = useSyncExternalStore(
    stored.onChange,
    () => stored.get()[mesh] ?? none,
    () => none,
  );
  const add = useCallback(
    (href: string) => {
      const all = stored.get();
      const known = all[mesh] ?? none;
      if (!known.includes(href)) stored.set(JSON.stringify({ ...all, [mesh]: [...known, href] }));
    },
    [mesh],
  );
  return [places, add];
}

function parseUsedPlaces(text: string | null): UsedPlaces {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    const entries = Object.entries(value).filter(([, places]) => Array.isArray(places));
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}
