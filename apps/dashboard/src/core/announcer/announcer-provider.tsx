"use client";

import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";
import { getPreferences } from "@/core/preferences/preference-store";
import { type Announcement, Announcer, type RegionTexts } from "./announcer";

const AnnouncerContext = createContext<((announcement: Announcement) => void) | null>(null);

/** Renders the live regions that screen readers announce. Use it once per page. */
export function AnnouncerProvider({ children }: { children: ReactNode }) {
  const [regionTexts, setRegionTexts] = useState<RegionTexts>({ polite: "", assertive: "" });
  const updateRegions = useCallback(
    (part: Partial<RegionTexts>) => setRegionTexts((before) => ({ ...before, ...part })),
    [],
  );
  const announcer = useMemo(
    () => new Announcer(() => getPreferences().announcements, updateRegions),
    [updateRegions],
  );
  useEffect(() => () => announcer.stop(), [announcer]);
  const announce = useCallback((announcement: Announcement) => announcer.announce(announcement), [announcer]);
  return (
    <AnnouncerContext value={announce}>
      {children}
      <div role="log" aria-live="polite" aria-label="Announcements" className="sr-only">
        {regionTexts.polite}
      </div>
      <div aria-live="assertive" className="sr-only">
        {regionTexts.assertive}
      </div>
    </AnnouncerContext>
  );
}

/**
 * Returns a function that announces an event, subject to the person's preferences. Do not announce rows that merely scrolled into
 * view.
 */
export function useAnnounce(): (announcement: Announcement) => void {
  const announce = use(AnnouncerContext);
  if (announce === null) throw new Error("useAnnounce is called outside of AnnouncerProvider.");
  return announce;
}
