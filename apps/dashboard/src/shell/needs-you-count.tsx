"use client";

import { useAttention } from "@/components/use-attention";

/** The number of items that only a person can settle. Renders nothing if there are none. */
export function NeedsYouCount() {
  const { data } = useAttention();
  if (!data || data.needs_person === 0) return null;
  return (
    <span className="top-0 right-0 min-w-4 xl:min-w-5 rounded-full bg-primary px-1 text-center text-xs leading-4 font-medium text-primary-foreground tabular-nums md:max-xl:absolute xl:leading-5">
      {data.needs_person}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
