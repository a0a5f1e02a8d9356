import type { ReactNode } from "react";

export interface RowListProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A list of rows, each with a name, facts and an action. */
export function RowList({ label, children }: RowListProps) {
  return (
    <ul aria-label={label} className="divide-y rounded-lg border">
      {children}
    </ul>
  );
}

export interface ListRowProps {
  readonly title: ReactNode;
  readonly facts: ReactNode;
  readonly action?: ReactNode;
}

export function ListRow({ title, facts, action }: ListRowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 [overflow-wrap:anywhere]">{title}</p>
        <p className="text-sm text-muted-foreground">{facts}</p>
      </div>
      {action}
    </li>
  );
}

/** A collapsed list of ended items. */
export function Ended({ what, count, children }: { what: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <details>
      <summary className="w-fit cursor-pointer py-1 text-sm text-muted-foreground pointer-coarse:py-3">
        {what} ({count})
      </summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}
