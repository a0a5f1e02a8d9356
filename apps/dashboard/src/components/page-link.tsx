"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";
import { useHasSettled } from "@/core/use-has-settled";

export interface PageLinkProps extends Omit<ComponentProps<typeof Link>, "prefetch"> {
  /** `settled` for the few ways that are always there: their pages can be gone to without the broker, too. */
  readonly ahead?: "pointed" | "settled";
}

/**
 * A link to a page of ours, which is loaded ahead once somebody points at the link, or once the page that it is on has
 * settled: before that, what is loaded ahead takes its time from what is to be seen.
 */
export function PageLink({ ahead = "pointed", onPointerEnter, onFocus, ...props }: PageLinkProps) {
  const [isPointedAt, setPointedAt] = useState(false);
  const hasSettled = useHasSettled();
  const isWanted = isPointedAt || (ahead === "settled" && hasSettled);
  return (
    <Link
      {...props}
      prefetch={isWanted ? null : false}
      onPointerEnter={(event) => {
        setPointedAt(true);
        onPointerEnter?.(event);
      }}
      onFocus={(event) => {
        setPointedAt(true);
        onFocus?.(event);
      }}
    />
  );
}
