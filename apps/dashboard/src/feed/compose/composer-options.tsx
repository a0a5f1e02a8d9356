"use client";

import { SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { lazyPart } from "@/core/lazy-part";
import { Button } from "@/ui/button";
import type { OptionsPanelProps } from "./options-panel";

const OptionsPanel = lazyPart(() => import("./options-panel"), "OptionsPanel");

/** The button that opens the choice of the message's kind and priority. */
export function ComposerOptions({ draft, onChange }: Pick<OptionsPanelProps, "draft" | "onChange">) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Button
        type="button"
        variant="ghost"
        size="icon"
        aria-label="Kind and priority"
        title="Kind and priority"
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        className="h-8.5 text-muted-foreground"
        onClick={({ currentTarget }) => setAnchor(anchor === null ? currentTarget : null)}
      >
        <SlidersHorizontal aria-hidden />
      </Button>
      {anchor && (
        <OptionsPanel draft={draft} anchor={anchor} onChange={onChange} onClose={() => setAnchor(null)} />
      )}
    </>
  );
}
