import type { ComponentProps } from "react";
import { cn } from "@/core/utils";
import { Slot } from "./slot";

function Empty({ className, ...props }: ComponentProps<"div">) {
  return (
    <div
      data-slot="empty"
      className={cn("flex flex-col items-center gap-3 px-4 py-8 text-center", className)}
      {...props}
    />
  );
}

function EmptyTitle({ className, asChild = false, ...props }: ComponentProps<"p"> & { asChild?: boolean }) {
  const Comp = asChild ? Slot : "p";
  return <Comp data-slot="empty-title" className={cn("text-lg font-medium", className)} {...props} />;
}

function EmptyDescription({ className, ...props }: ComponentProps<"p">) {
  return (
    <p
      data-slot="empty-description"
      className={cn("max-w-prose text-balance text-muted-foreground", className)}
      {...props}
    />
  );
}

export { Empty, EmptyDescription, EmptyTitle };
