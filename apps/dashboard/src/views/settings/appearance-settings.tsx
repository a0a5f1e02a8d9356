"use client";

import { type ReactNode, useId, useState } from "react";
import { SavedNote } from "@/components/saved-note";
import type { PreferenceName, Preferences } from "@/core/preferences/preferences";
import { usePreference } from "@/core/preferences/use-preference";
import { Checkbox } from "@/ui/checkbox";
import { Segmented } from "@/ui/segmented";

/** The appearance and behaviour of the pages in this browser. Changes take effect immediately. */
export function AppearanceSettings() {
  const [theme, setTheme, themeNote] = useSavedPreference("theme");
  const [density, setDensity, densityNote] = useSavedPreference("density");
  const [time, setTime, timeNote] = useSavedPreference("time");
  const [letterKeys, setLetterKeys, letterKeysNote] = useSavedPreference("letterKeys");
  const [announcements, setAnnouncements, announcementsNote] = useSavedPreference("announcements");
  const [enterSends, setEnterSends, enterSendsNote] = useSavedPreference("enterSends");
  const enterId = useId();
  return (
    <div className="grid gap-4">
      <Choice title="Theme" saved={themeNote}>
        <Segmented
          label="Theme"
          value={theme}
          onChange={setTheme}
          options={[
            { value: "system", label: "System" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
        />
      </Choice>
      <Choice title="Density" saved={densityNote}>
        <Segmented
          label="Density"
          value={density}
          onChange={setDensity}
          options={[
            { value: "comfortable", label: "Comfortable" },
            { value: "compact", label: "Compact" },
          ]}
        />
      </Choice>
      <Choice title="Timestamps" saved={timeNote}>
        <Segmented
          label="Timestamps"
          value={time}
          onChange={setTime}
          options={[
            { value: "relative", label: "Relative (6 min ago)" },
            { value: "local", label: "Local time" },
            { value: "utc", label: "UTC" },
          ]}
        />
      </Choice>
      <Choice
        title="Single-letter keys"
        note="Such as j and k. Turn these off if you use voice control."
        saved={letterKeysNote}
      >
        <Segmented
          label="Single-letter keys"
          value={letterKeys}
          onChange={setLetterKeys}
          options={[
            { value: "on", label: "On" },
            { value: "alt", label: "With Alt" },
            { value: "off", label: "Off" },
          ]}
        />
      </Choice>
      <Choice title="Announcements" note="What a screen reader announces live." saved={announcementsNote}>
        <Segmented
          label="Announcements"
          value={announcements}
          onChange={setAnnouncements}
          options={[
            { value: "all", label: "All messages" },
            { value: "asks", label: "Questions for me" },
            { value: "off", label: "Off" },
          ]}
        />
      </Choice>
      <Choice title="Composer" saved={enterSendsNote}>
        <span className="inline-flex items-center gap-2">
          <Checkbox
            id={enterId}
            checked={enterSends}
            onChange={(event) => setEnterSends(event.target.checked)}
          />
          <label htmlFor={enterId} className="inline-flex min-h-8 items-center pointer-coarse:min-h-11">
            Enter sends, Shift+Enter begins a new line
          </label>
        </span>
      </Choice>
    </div>
  );
}

/** Returns a preference, a function that changes it, and the note that the change has been saved. */
function useSavedPreference<Name extends PreferenceName>(
  name: Name,
): [Preferences[Name], (value: Preferences[Name]) => void, ReactNode] {
  const [value, setValue] = usePreference(name);
  const [isSaved, setIsSaved] = useState(false);
  const save = (next: Preferences[Name]) => {
    setValue(next);
    setIsSaved(true);
  };
  return [value, save, <SavedNote key={name} isShown={isSaved} />];
}

interface ChoiceProps {
  readonly title: string;
  readonly note?: string;
  readonly saved: ReactNode;
  readonly children: ReactNode;
}

function Choice({ title, note, saved, children }: ChoiceProps) {
  return (
    <div className="grid gap-1 sm:grid-cols-[10rem_minmax(0,1fr)] sm:items-center sm:gap-4">
      <span aria-hidden className="text-sm font-medium sm:self-start sm:pt-1.5">
        {title}
      </span>
      <div className="grid min-w-0 gap-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          {children}
          {saved}
        </div>
        {note !== undefined && <p className="text-sm text-muted-foreground">{note}</p>}
      </div>
    </div>
  );
}
