import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

/** A native checkbox in the accent colour. */
function Checkbox({ className, ...props }: Omit<ComponentProps<"input">, "type">) {
  return (
    <input
      data-slot="checkbox"
      type="checkbox"
      className={cn("size-4 shrink-0 accent-primary disabled:opacity-50", className)}
      {...props}
    />
  );
}

export { Checkbox };
