import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

/**
 * Sets the direction of each paragraph by its content. dir="auto" does the same, but Chromium then takes about twenty
 * times as long for 500 kB of text.
 */
function Textarea({ className, ...props }: ComponentProps<"textarea">) {
  return (
    <textarea
      data-slot="textarea"
      className={cn(
        "block [unicode-bidi:plaintext] field-sizing-content min-h-16 w-full min-w-0 rounded-md border border-input bg-background px-2.5 py-1.5 text-base placeholder:text-muted-foreground aria-invalid:border-danger disabled:opacity-50",
        className,
      )}
      {...props}
    />
  );
}

export { Textarea };
