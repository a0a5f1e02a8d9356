"use client";

import { useRouter } from "next/navigation";
import { createContext, lazy, type ReactNode, Suspense, use, useCallback, useMemo, useState } from "react";
import { type TypedAhead, TypedAheadCatcher } from "@/core/keyboard/typed-ahead";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { useHasSettled } from "@/core/use-has-settled";

const loadPalette = () => import("@/views/search/command-palette");
const CommandPalette = lazy(() => loadPalette().then((part) => ({ default: part.CommandPalette })));
// A page whose broker is away does without: what is loaded ahead is loaded again when it is asked for.
const PaletteAhead = lazy(() =>
  loadPalette().then(
    (part) => ({ default: part.PaletteAhead }),
    () => ({ default: () => null }),
  ),
);
const KeyHelp = lazy(() => import("./key-help").then(({ KeyHelp }) => ({ default: KeyHelp })));

interface ShellActions {
  readonly openPalette: () => void;
  readonly openHelp: () => void;
}

const ShellContext = createContext<ShellActions | null>(null);

/** The keys that work on every page, and the palette and the help that they open. */
export function ShellKeys({ children }: { children: ReactNode }) {
  const router = useRouter();
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
  useShortcut("g a", () => router.push("/agents"), { label: "Go to agents", group: "Everywhere" });
  useShortcut("g o", () => router.push("/approvals"), { label: "Go to approvals", group: "Everywhere" });
  useShortcut("g t", () => router.push("/tasks"), { label: "Go to tasks", group: "Everywhere" });
  useShortcut("g m", () => router.push("/memory"), { label: "Go to memory", group: "Everywhere" });
  useShortcut("g p", () => router.push("/progress"), { label: "Go to progress", group: "Everywhere" });
  useShortcut("g f", () => router.push("/sources"), { label: "Go to files", group: "Everywhere" });
  useShortcut("g v", () => router.push("/verify"), { label: "Verify a record", group: "Everywhere" });

  return (
    <ShellContext value={actions}>
      {children}
      <PaletteMadeReady />
      <Suspense fallback={shown === "palette" && <TypedAheadCatcher typed={typed} />}>
        {shown === "palette" && <CommandPalette typed={typed} onClose={close} onHelp={actions.openHelp} />}
        {shown === "help" && <KeyHelp onClose={close} />}
      </Suspense>
    </ShellContext>
  );
}

/** Once the page has come to rest, the palette and what it finds are loaded: then it opens within a frame. */
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
