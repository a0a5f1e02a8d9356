"use client";

import { type AlertKind, alertReasons } from "@merkle/wire";
import { useState } from "react";
import { SavedNote } from "@/components/saved-note";
import { usePreference } from "@/core/preferences/use-preference";

/** The events that may cause notifications in this browser. Asks for permission when the first event is switched on. */
export function NotificationSettings() {
  const [reasons, setReasons] = usePreference("notifications");
  const [isRefused, setIsRefused] = useState(false);
  const [savedReason, setSavedReason] = useState<AlertKind | null>(null);

  function save(next: readonly AlertKind[], changed: AlertKind): void {
    setReasons(next);
    setSavedReason(changed);
  }

  async function choose(reason: AlertKind, isOn: boolean): Promise<void> {
    if (!isOn)
      return save(
        reasons.filter((each) => each !== reason),
        reason,
      );
    const permission = await askPermission();
    setIsRefused(permission !== "granted");
    if (permission === "granted") save([...reasons, reason], reason);
  }

  return (
    <fieldset className="grid gap-2">
      <legend className="mb-3 text-muted-foreground">
        Each notification names the session or file and the reason, and disappears once resolved. You get none
        for what you’re viewing.
      </legend>
      {Object.entries(alertReasons).map(([reason, words]) => (
        <div key={reason} className="flex flex-wrap items-center gap-x-3">
          <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="checkbox"
              className="size-4 accent-primary"
              // The table's keys are exactly the values of AlertKind.
              checked={reasons.includes(reason as AlertKind)}
              onChange={(event) => void choose(reason as AlertKind, event.target.checked)}
            />
            {words}
          </label>
          <SavedNote isShown={savedReason === reason} />
        </div>
      ))}
      <p role="status" className="text-sm text-danger empty:hidden">
        {isRefused &&
          "Notifications are blocked. Allow them for this site in the browser's settings. Over plain http they work only on the broker's machine."}
      </p>
    </fieldset>
  );
}

async function askPermission(): Promise<NotificationPermission> {
  if (!("Notification" in window)) return "denied";
  return Notification.permission === "default" ? Notification.requestPermission() : Notification.permission;
}
