"use client";

import { type ReactNode, useId } from "react";
import { usePreference } from "@/core/preferences/use-preference";
import { Checkbox } from "@/ui/checkbox";
import { Segmented } from "@/ui/segmented";

/** The appearance and behaviour of the pages in this browser. Changes take effect immediately. */
export function AppearanceSettings() {
  const [theme, setTheme] = usePreference("theme");
  const [density, setDensity] = usePreference("density");
  const [time, setTime] = usePreference("time");
  const [letterKeys, setLetterKeys] = usePreference("letterKeys");
  const [announcements, setAnnouncements] = usePreference("announcements");
  const [enterSends, setEnterSends] = usePreference("enterSends");
  const enterId = useId();
  return (
    <div className="grid gap-4">
      <Choice title="Theme">
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
      <Choice title="Density">
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
      <Choice title="Timestamps">
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
      <Choice title="Single-letter keys" note="Such as j and k. Turn these off if you use voice control.">
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
      <Choice title="Announcements" note="What a screen reader announces live.">
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
      <Choice title="Composer">
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

function Choice({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <div className="grid gap-1 sm:grid-cols-[10rem_minmax(0,1fr)] sm:items-center sm:gap-4">
      <span aria-hidden className="text-sm font-medium sm:self-start sm:pt-1.5">
        {title}
      </span>
      <div className="grid min-w-0 gap-1">
        {children}
        {note !== undefined && <p className="text-sm text-muted-foreground">{note}</p>}
      </div>
    </div>
  );
}
