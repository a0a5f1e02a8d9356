import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

/**
 * Each paragraph runs in the direction of its own letters. The attribute dir="auto" would say the same, but Chromium then needs
 * some twenty times as long to take a document of 500 kB.
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
