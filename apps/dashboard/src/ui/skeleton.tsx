import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

/** A placeholder for loading content. Its animation starts after a delay, because each frame costs rendering time. */
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
