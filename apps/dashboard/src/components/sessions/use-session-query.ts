"use client";

import { useCallback } from "react";
import { setQuery } from "@/lib/query/address";
import { useQuery } from "@/lib/query/use-query";
import { parseSessionQuery, type SessionQuery } from "./session-query";

const defaults = parseSessionQuery(() => null);

/** What the address asks for, and how to ask for something else; what is as usual does not stand in the address. */
export function useSessionQuery(): [SessionQuery, (change: Partial<SessionQuery>) => void] {
  const params = useQuery();
  const change = useCallback((changed: Partial<SessionQuery>) => {
    const values = Object.entries(changed).map(([name, value]): [string, string | null] => {
      if (typeof value === "boolean") return [name, value ? "1" : null];
      return [name, value === defaults[name as keyof SessionQuery] ? null : value];
    });
    setQuery(Object.fromEntries(values), { replace: true });
  }, []);
  return [parseSessionQuery((name) => params.get(name)), change];
}
