"use client";

import { useEffect } from "react";
import { useRead } from "@/broker/use-read";
import type { ContentProbe } from "./content-probe";

/** Performs the read, and calls back once there is content. */
export function ContentProbeReader({
  probe: { name, input, on, hasAny },
  onFound,
}: {
  readonly probe: ContentProbe;
  readonly onFound: () => void;
}) {
  const { data } = useRead(name, input, { on });
  const hasContent = data !== undefined && hasAny(data);
  useEffect(() => {
    if (hasContent) onFound();
  }, [hasContent, onFound]);
  return null;
}
