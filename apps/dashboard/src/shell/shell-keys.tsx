"use client";

import { useRouter } from "next/navigation";
import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useMemo, useState } from "react";
import { type TypedAhead, TypedAheadCatcher } from "@/core/keyboard/typed-ahead";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyHelper, lazyPart } from "@/core/lazy-part";
import { useHasSettled } from "@/core/use-has-settled";
import type { NavItem } from "@/parts/feature";
import { useFeatureNavItems } from "./nav-items";

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
  const navItems = useFeatureNavItems().filter(({ letter }) => letter !== undefined);
  const [openDialog, setOpenDialog] = useState<"palette" | "help" | null>(null);
  const [typedAhead, setTypedAhead] = useState<TypedAhead>({ text: "", isEntered: false });
  const actions = useMemo(
    () => ({ openPalette: () => setOpenDialog("palette"), openHelp: () => setOpenDialog("help") }),
    [],
  );
  const close = () => {
    setOpenDialog(null);
    setTypedAhead({ text: "", isEntered: false });
  };

  useShortcut("mod+k", () => (openDialog === "palette" ? close() : setOpenDialog("palette")), {
    label: "Command menu",
    group: "Everywhere",
  });
  useShortcut("?", actions.openHelp, { label: "Show keyboard shortcuts", group: "Everywhere" });
  useShortcut("g s", () => router.push("/"), { label: "Go to sessions", group: "Everywhere" });
  useShortcut("g n", () => router.push("/needs-you"), { label: "Go to Needs you", group: "Everywhere" });

  return (
    <ShellContext value={actions}>
      {children}
      {navItems.map((place) => (
        <NavShortcut key={place.href} {...place} />
      ))}
      <PalettePreloader />
      <Suspense fallback={openDialog === "palette" && <TypedAheadCatcher typed={typedAhead} />}>
        {openDialog === "palette" && (
          <CommandPalette typed={typedAhead} onClose={close} onHelp={actions.openHelp} />
        )}
        {openDialog === "help" && <KeyHelp onClose={close} />}
      </Suspense>
    </ShellContext>
  );
}

/** Registers the shortcut to a feature's page. */
function NavShortcut({ href, label, title = `Go to ${label.toLowerCase()}`, letter }: NavItem) {
  const router = useRouter();
  useShortcut(`g ${letter}`, () => router.push(href), { label: title, group: "Everywhere" });
  return null;
}

/** Loads the command palette and its entries once the page has settled, so that it opens within a frame. */
function PalettePreloader() {
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
