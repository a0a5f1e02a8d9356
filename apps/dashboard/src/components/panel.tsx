import { type ReactNode, useId } from "react";
import { PanelBoundary } from "./panel-boundary";

export interface PanelProps {
  readonly title: string;
  readonly level: 1 | 2;
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

/** A titled section of a page. An error inside does not affect the rest of the page. */
export function Panel({ title, level, note, children }: PanelProps) {
  const id = useId();
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-2 flex min-h-7 flex-wrap items-end justify-between gap-x-4">
        <Heading
          id={id}
          className={level === 1 ? "text-title leading-7 font-semibold" : "text-lg leading-7 font-semibold"}
        >
          {title}
        </Heading>
        {note && <p className="text-sm text-muted-foreground tabular-nums">{note}</p>}
      </div>
      <div className="overflow-hidden rounded-lg border">
        <PanelBoundary title={title}>{children}</PanelBoundary>
      </div>
    </section>
  );
}
