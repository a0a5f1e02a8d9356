import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

function Input({ className, ...props }: ComponentProps<"input">) {
  return (
    <input
      data-slot="input"
      className={cn(
        "h-8 w-full min-w-0 rounded-md border border-input bg-background px-2.5 text-base placeholder:text-muted-foreground aria-invalid:border-danger disabled:opacity-50 pointer-coarse:h-11",
        className,
      )}
      {...props}
    />
  );
}

export { Input };
