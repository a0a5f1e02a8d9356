"use client";

import { Glasses } from "lucide-react";
import { setQuery } from "@/core/address/address";
import { ToolButton } from "@/ui/tool-button";
import { anyPersona, usePerspectiveParam } from "@/work/perspectives/use-perspective-param";

/** Opens and closes what personas make of the text beside it. */
export function PerspectivesButton() {
  const perspective = usePerspectiveParam();
  return (
    <ToolButton
      icon={<Glasses aria-hidden />}
      label="Perspectives"
      isPressed={perspective !== null}
      onClick={() => setQuery({ perspective: perspective === null ? anyPersona : null })}
    />
  );
}
