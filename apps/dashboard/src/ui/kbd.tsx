import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

function Kbd({ className, ...props }: ComponentProps<"kbd">) {
  return (
    <kbd
      data-slot="kbd"
      className={cn(
        "inline-flex h-5 min-w-5 items-center justify-center rounded border bg-background px-1 font-sans text-xs text-muted-foreground",
        className,
      )}
      {...props}
    />
  );
}

export { Kbd };
