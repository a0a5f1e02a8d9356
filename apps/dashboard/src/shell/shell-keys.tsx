"use client";

import { useRouter } from "next/navigation";
import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useMemo, useState } from "react";
import { type TypedAhead, TypedAheadCatcher } from "@/core/keyboard/typed-ahead";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyHelper, lazyPart } from "@/core/lazy-part";
import { useHasSettled } from "@/core/use-has-settled";
import type { Place } from "@/parts/feature";
import { usePlacesOfFeatures } from "./places";

const KeyHelp = lazyPart(() => import("./key-help"), "KeyHelp");

const CommandPalette = lazy(async () => ({ default: (await import("./palette/palette")).CommandPalette }));
// If this module fails to load, opening the palette tries again.
const PaletteAhead = lazyHelper(() => import("./palette/palette"), "PaletteAhead");

interface ShellActions {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

const ShellContext = createContext<ShellActions | null>(null);

/** The shortcuts of every page, and the command palette and help that they open. */
export function ShellKeys({ children }: { children: ReactNode }) {
  const router = useRouter();
  const places = usePlacesOfFeatures().filter(({ letter }) => letter !== undefined);
  const [shown, setShown] = useState<"palette" | "help" | null>(null);
  const [typed, setTyped] = useState<TypedAhead>({ text: "", isEntered: false });
  const actions = useMemo(
    () => ({ openPalette: () => setShown("palette"), openHelp: () => setShown("help") }),
    [],
  );
  const close = () => {
    setShown(null);
    setTyped({ text: "", isEntered: false });
  };

  useShortcut("mod+k", () => (shown === "palette" ? close() : setShown("palette")), {
    label: "Command menu",
    group: "Everywhere",
  });
  useShortcut("?", actions.openHelp, { label: "Show keyboard shortcuts", group: "Everywhere" });
  useShortcut("g s", () => router.push("/"), { label: "Go to sessions", group: "Everywhere" });
  useShortcut("g n", () => router.push("/needs-you"), { label: "Go to Needs you", group: "Everywhere" });

  return (
    <ShellContext value={actions}>
      {children}
      {places.map((place) => (
        <PlaceKey key={place.href} {...place} />
      ))}
      <PaletteMadeReady />
      <Suspense fallback={shown === "palette" && <TypedAheadCatcher typed={typed} />}>
        {shown === "palette" && <CommandPalette typed={typed} onClose={close} onHelp={actions.openHelp} />}
        {shown === "help" && <KeyHelp onClose={close} />}
      </Suspense>
    </ShellContext>
  );
}

/** Registers the shortcut to a feature's page. */
function PlaceKey({ href, label, title = `Go to ${label.toLowerCase()}`, letter }: Place) {
  const router = useRouter();
  useShortcut(`g ${letter}`, () => router.push(href), { label: title, group: "Everywhere" });
  return null;
}

/** Loads the command palette and its entries once the page has settled, so that it opens within a frame. */
function PaletteMadeReady() {
  const hasSettled = useHasSettled();
  const [isReady, setReady] = useState(false);
  const onRead = useCallback(() => setReady(true), []);
  return <Suspense>{hasSettled && !isReady && <PaletteAhead onRead={onRead} />}</Suspense>;
}

export function useShellActions(): ShellActions {
  const actions = use(ShellContext);
  if (actions === null) throw new Error("useShellActions is called outside of ShellKeys.");
  return actions;
}
