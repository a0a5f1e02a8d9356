import type { ReactNode } from "react";

export interface FactProps {
  readonly name: string;
  /** An explanation, if the name is not enough. */
  readonly note?: string;
  readonly children: ReactNode;
}

/** A name with its value, as an item of a `FactList`. */
export function Fact({ name, note, children }: FactProps) {
  return (
    <div className="border-b pb-1.5">
      <dt className="text-muted-foreground">
        {name}
        {note !== undefined && <span className="text-xs">, {note}</span>}
      </dt>
      <dd className="tabular-nums [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
