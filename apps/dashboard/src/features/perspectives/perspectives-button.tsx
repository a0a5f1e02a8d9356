"use client";

import { Glasses } from "lucide-react";
import { ToolButton } from "@/components/tool-button";
import { setQuery } from "@/core/address/address";
import { useSource } from "@/sessions/source-context";
import { anyPersona, usePerspectiveParam } from "./use-perspective-param";

/** Toggles the pane with the personas' readings. */
export function PerspectivesButton() {
  const perspective = usePerspectiveParam();
  const { isObserver } = useSource();
  if (isObserver) return null;
  return (
    <ToolButton
      icon={<Glasses aria-hidden />}
      label="Perspectives"
      isPressed={perspective !== null}
      onClick={() => setQuery({ perspective: perspective === null ? anyPersona : null })}
    />
  );
}
