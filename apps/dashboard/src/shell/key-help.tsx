"use client";

import { useSyncExternalStore } from "react";
import { PageLink } from "@/components/page-link";
import { type KeyPress, type LetterKeys, parseKeys } from "@/core/keyboard/keys";
import { useShortcutRegistry } from "@/core/keyboard/shortcut-provider";
import type { Shortcut } from "@/core/keyboard/shortcut-registry";
import { useIsMac } from "@/core/keyboard/use-is-mac";
import { usePreference } from "@/core/preferences/use-preference";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/ui/dialog";
import { Kbd } from "@/ui/kbd";

const explanations: Readonly<Record<LetterKeys, string>> = {
  on: "Letter keys work when you’re not typing.",
  alt: "Single-key shortcuts need Alt (see Settings).",
  off: "Single-key shortcuts are off (see Settings).",
};

/** The shortcuts that currently work on this page. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const registry = useShortcutRegistry();
  const shortcuts = useSyncExternalStore(
    (listener) => registry.onChange(listener),
    () => registry.shortcuts,
  );
  const [letterKeys] = usePreference("letterKeys");
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-2xl">
        <DialogHeader>
          <DialogTitle>Keyboard shortcuts</DialogTitle>
          <DialogDescription>
            {explanations[letterKeys]}{" "}
            <PageLink
              href="/settings#appearance"
              onClick={onClose}
              className="text-link underline underline-offset-2"
            >
              Change
            </PageLink>{" "}
            · more in{" "}
            <a href="/docs/" className="text-link underline underline-offset-2">
              the docs
            </a>
          </DialogDescription>
        </DialogHeader>
        <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
          {groupShortcuts(shortcuts).map(([group, members]) => (
            <section key={group} aria-label={group}>
              <h3 className="mb-1 text-sm font-medium text-muted-foreground">{group}</h3>
              <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
                {members.map(({ keys, label }) => (
                  <div key={keys} className="col-span-2 grid grid-cols-subgrid items-center">
                    <dt>{label}</dt>
                    <dd className="justify-self-end">
                      <Keys keys={keys} withAlt={letterKeys === "alt"} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </DialogContent>
    </Dialog>
  );
}

/** Groups the shortcuts. If a key is registered twice, the last registration counts. */
function groupShortcuts(shortcuts: readonly Shortcut[]): [string, Shortcut[]][] {
  const byKeys = new Map(shortcuts.map((shortcut) => [shortcut.keys, shortcut]));
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of byKeys.values()) {
    groups.set(shortcut.group, [...(groups.get(shortcut.group) ?? []), shortcut]);
  }
  return [...groups];
}

/** Shows the keys of a shortcut, named as on this person's keyboard. */
function Keys({ keys, withAlt = false }: { keys: string; withAlt?: boolean }) {
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
  const modifiers = [
    mod && (isMac ? "⌘" : "Ctrl"),
    (alt || (withAlt && isAlone)) && (isMac ? "⌥" : "Alt"),
    shift && (isMac ? "⇧" : "Shift"),
  ].filter((each) => each !== false);
  return [...modifiers, names[key] ?? (mod || shift ? key.toUpperCase() : key)].join(isMac ? "" : " ");
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
