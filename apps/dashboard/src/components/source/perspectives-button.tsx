"use client";

import { Glasses } from "lucide-react";
import { anyPersona, usePerspectiveParam } from "@/components/perspectives/use-perspective-param";
import { setQuery } from "@/lib/query/address";
import { ToolButton } from "./tool-button";

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
