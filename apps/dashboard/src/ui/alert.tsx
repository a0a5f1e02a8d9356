import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

function Alert({ className, ...props }: ComponentProps<"div">) {
  return (
    <div
      data-slot="alert"
      className={cn("rounded-lg border border-danger/40 bg-danger-surface px-4 py-3", className)}
      {...props}
    />
  );
}

function AlertTitle({ className, ...props }: ComponentProps<"p">) {
  return <p data-slot="alert-title" className={cn("font-medium text-danger", className)} {...props} />;
}

function AlertDescription({ className, ...props }: ComponentProps<"div">) {
  return (
    <div data-slot="alert-description" className={cn("text-sm text-foreground", className)} {...props} />
  );
}

export { Alert, AlertDescription, AlertTitle };
