import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";
import { cn } from "@/core/utils";
import { Slot } from "./slot";

const buttonVariants = cva(
  "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap motion-safe:transition-colors duration-150 disabled:pointer-events-none disabled:opacity-50 pointer-coarse:min-h-11 pointer-coarse:min-w-11 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        // The border is visible only in forced-colours mode, where backgrounds are replaced.
        default: "border border-transparent bg-primary text-primary-foreground hover:bg-primary/90",
        outline: "border border-input bg-background hover:bg-raised",
        ghost: "hover:bg-raised",
        destructive: "border border-transparent bg-danger text-background hover:bg-danger/90",
      },
      size: {
        default: "h-8 px-3 text-base",
        sm: "h-7 px-2 text-sm",
        icon: "size-8",
      },
    },
    defaultVariants: { variant: "default", size: "default" },
  },
);

function Button({
  className,
  variant,
  size,
  asChild = false,
  ...props
}: ComponentProps<"button"> & VariantProps<typeof buttonVariants> & { asChild?: boolean }) {
  const Comp = asChild ? Slot : "button";
  return <Comp data-slot="button" className={cn(buttonVariants({ variant, size, className }))} {...props} />;
}

export { Button, buttonVariants };
