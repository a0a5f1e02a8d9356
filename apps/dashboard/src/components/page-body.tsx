import type { ReactNode } from "react";
import { cn } from "@/core/utils";

export interface PageBodyProps {
  /** For text and forms: narrow, with the same left edge as other pages. */
  readonly reading?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The content of a page, as wide on each, so that nothing moves from page to page. */
export function PageBody({ reading = false, className, children }: PageBodyProps) {
  return (
    <div className="mx-auto w-full max-w-page p-4 lg:p-6">
      <div className={cn("min-w-0", reading && "max-w-reading", className)}>{children}</div>
    </div>
  );
}
