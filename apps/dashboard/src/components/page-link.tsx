"use client";

import Link from "next/link";
import { type ComponentProps, useState } from "react";
import { useHasSettled } from "@/core/use-has-settled";

export interface PageLinkProps extends Omit<ComponentProps<typeof Link>, "prefetch"> {
  /**
   * When to prefetch the page. `settled` is for the main navigation, so that its pages open even while the broker is unreachable.
   */
  readonly prefetchOn?: "pointed" | "settled";
}

/**
 * A link to a page of the dashboard. The page is prefetched once the user hovers or focuses the link, or once the current page
 * has settled. Prefetching earlier would delay the content of the current page.
 */
export function PageLink({ prefetchOn = "pointed", onPointerEnter, onFocus, ...props }: PageLinkProps) {
  const [isPointedAt, setPointedAt] = useState(false);
  const hasSettled = useHasSettled();
  const shouldPrefetch = isPointedAt || (prefetchOn === "settled" && hasSettled);
  return (
    <Link
      {...props}
      prefetch={shouldPrefetch ? null : false}
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
