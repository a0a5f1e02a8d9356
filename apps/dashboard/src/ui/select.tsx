import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

/** The browser's own select, which phones and screen readers know best. */
function Select({ className, children, ...props }: ComponentProps<"select">) {
  return (
    <span data-slot="select" className={cn("relative inline-flex min-w-0", className)}>
      <select
        className="h-8 w-full min-w-0 appearance-none rounded-md border border-input bg-background pr-8 pl-2.5 text-base disabled:opacity-50 pointer-coarse:h-11"
        {...props}
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2 size-4 -translate-y-1/2 text-muted-foreground"
      />
    </span>
  );
}

export { Select };
