import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

/**
 * Holds the place of what is being read. It begins to move only when that takes a while: each step of it is a frame to draw.
 */
function Skeleton({ className, ...props }: ComponentProps<"div">) {
  return (
    <div
      data-slot="skeleton"
      className={cn("rounded-md motion-safe:animate-pulse [animation-delay:1s] bg-raised", className)}
      {...props}
    />
  );
}

export { Skeleton };
