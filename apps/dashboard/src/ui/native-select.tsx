import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

/** The browser's own select, which every device knows how to open. */
function NativeSelect({ className, ...props }: ComponentProps<"select">) {
  return (
    <span data-slot="native-select" className="relative inline-flex min-w-0 items-center">
      <select
        className={cn(
          "h-8 min-w-0 appearance-none rounded-md border border-input bg-background pr-7 pl-2 text-base hover:bg-raised disabled:opacity-50 pointer-coarse:h-11",
          className,
        )}
        {...props}
      />
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute right-2 size-3.5 text-muted-foreground"
      />
    </span>
  );
}

export { NativeSelect };
