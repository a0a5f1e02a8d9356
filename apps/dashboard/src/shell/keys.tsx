"use client";

import { type KeyPress, parseKeys } from "@/core/keyboard/keys";
import { useIsMac } from "@/core/keyboard/use-is-mac";
import { Kbd } from "@/ui/kbd";

/** Shows the keys of a shortcut, named as on this person's keyboard. */
export function Keys({ keys, withAlt = false }: { keys: string; withAlt?: boolean }) {
  const isMac = useIsMac();
  return (
    <span className="inline-flex gap-1">
      {parseKeys(keys).map((press) => (
        <Kbd key={JSON.stringify(press)}>{describePress(press, isMac, withAlt)}</Kbd>
      ))}
    </span>
  );
}

function describePress({ key, mod, shift, alt }: KeyPress, isMac: boolean, withAlt: boolean): string {
  const isAlone = key.length === 1 && !mod;
  const held = [
    mod && (isMac ? "⌘" : "Ctrl"),
    (alt || (withAlt && isAlone)) && (isMac ? "⌥" : "Alt"),
    shift && (isMac ? "⇧" : "Shift"),
  ].filter((each) => each !== false);
  return [...held, names[key] ?? (mod || shift ? key.toUpperCase() : key)].join(isMac ? "" : " ");
}

const names: Readonly<Record<string, string>> = {
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  PageUp: "Page Up",
  PageDown: "Page Down",
};
