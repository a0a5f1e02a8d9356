import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

/** A control with its label above. The label element wraps both, so no ids are needed. */
function Field({ className, ...props }: ComponentProps<"label">) {
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children that are passed on.
  return <label data-slot="field" className={cn("grid gap-1", className)} {...props} />;
}

function FieldLabel({ className, ...props }: ComponentProps<"span">) {
  return <span data-slot="field-label" className={cn("text-sm font-medium", className)} {...props} />;
}

function FieldDescription({ className, ...props }: ComponentProps<"span">) {
  return (
    <span
      data-slot="field-description"
      className={cn("text-sm text-muted-foreground", className)}
      {...props}
    />
  );
}

/** Stays in the page while empty, so that screen readers announce text that appears in it. */
function FieldError({ className, ...props }: ComponentProps<"p">) {
  return (
    <p
      role="alert"
      data-slot="field-error"
      className={cn("text-sm text-danger empty:hidden", className)}
      {...props}
    />
  );
}

export { Field, FieldDescription, FieldError, FieldLabel };
