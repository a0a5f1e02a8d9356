import type { ReactNode } from "react";
import { cn } from "@/core/utils";

export interface FactEntry {
  readonly name: string;
  readonly value: ReactNode;
}

/** A list of names with their values. */
export function FactList({
  facts,
  className,
}: {
  readonly facts: readonly FactEntry[];
  readonly className?: string;
}) {
  return (
    <dl className={cn("grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm", className)}>
      {facts.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className="text-muted-foreground">{name}</dt>
          <dd className="min-w-0 break-words tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
