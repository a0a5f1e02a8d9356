import type { ReactNode } from "react";
import { cn } from "@/core/utils";

export interface PageBodyProps {
  /** Whether to use the narrow width for text and forms. The left edge is the same as on other pages. */
  readonly isNarrow?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The content of a page. Every page has the same width, so that nothing moves between pages. */
export function PageBody({ isNarrow = false, className, children }: PageBodyProps) {
  return (
    <div className="mx-auto w-full max-w-page p-4 lg:p-6">
      <div className={cn("min-w-0", isNarrow && "max-w-reading", className)}>{children}</div>
    </div>
  );
}
