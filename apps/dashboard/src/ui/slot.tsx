import { cloneElement, type HTMLAttributes, isValidElement, type Ref } from "react";
import { cn } from "@/core/utils";

interface SlotProps extends HTMLAttributes<HTMLElement> {
  readonly ref?: Ref<HTMLElement> | undefined;
}

type Handler = (event: unknown) => void;

/**
 * Merges its props into its only child, to implement `asChild`. The child's own props win, class names are joined, and both
 * handlers run, the child's first. Radix's Slot would load all its primitives with every page.
 */
function Slot({ children, ...props }: SlotProps) {
  if (!isValidElement<Record<string, unknown>>(children)) return null;
  const childProps = children.props;
  const handlers = Object.entries(props).flatMap(([name, handler]) => {
    const first = childProps[name];
    if (!isHandler(name, first) || !isHandler(name, handler)) return [];
    const callBoth = (event: unknown) => {
      first(event);
      handler(event);
    };
    return [[name, callBoth]];
  });
  return cloneElement(children, {
    ...props,
    ...childProps,
    ...Object.fromEntries(handlers),
    className: cn(props.className, typeof childProps["className"] === "string" && childProps["className"]),
  });
}

function isHandler(name: string, value: unknown): value is Handler {
  return /^on[A-Z]/.test(name) && typeof value === "function";
}

export { Slot };
