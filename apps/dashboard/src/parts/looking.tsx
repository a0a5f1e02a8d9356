"use client";

import { useEffect } from "react";
import { useRead } from "@/broker/use-read";
import type { Look } from "./look";

/** Performs the read, and calls back once there is content. */
export function Looking({
  look: { name, input, on, hasAny },
  onFound,
}: {
  readonly look: Look;
  readonly onFound: () => void;
}) {
  const { data } = useRead(name, input, { on });
  const isFound = data !== undefined && hasAny(data);
  useEffect(() => {
    if (isFound) onFound();
  }, [isFound, onFound]);
  return null;
}
