import type { ReactNode } from "react";

export interface FactProps {
  readonly name: string;
  /** A remark for a name that does not say enough. */
  readonly note?: string;
  readonly children: ReactNode;
}

/** One line of a list of facts. */
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
