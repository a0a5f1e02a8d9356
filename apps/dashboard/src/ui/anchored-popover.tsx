"use client";

import { type ReactNode, useMemo } from "react";
import { Popover, PopoverAnchor, PopoverContent } from "@/ui/popover";

export interface AnchoredPopoverProps {
  readonly label: string;
  /**
   * The element that it opens at, and that is focused again when it closes. It need not know of popovers, so they load when first
   * opened.
   */
  readonly anchor: HTMLElement;
  readonly onClose: () => void;
  readonly align?: "start" | "end";
  readonly className?: string;
  readonly children: ReactNode;
}

export function AnchoredPopover({
  label,
  anchor,
  onClose,
  align,
  className,
  children,
}: AnchoredPopoverProps) {
  const anchorRef = useMemo(() => ({ current: anchor }), [anchor]);
  return (
    <Popover open onOpenChange={(open) => !open && onClose()}>
      <PopoverAnchor virtualRef={anchorRef} />
      <PopoverContent
        aria-label={label}
        {...(align ? { align } : {})}
        {...(className ? { className } : {})}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          // A button that was pressed inside may have moved the focus on, to the composer for one.
          if (document.activeElement === null || document.activeElement === document.body) anchor.focus();
        }}
        // A press on the anchor itself would close it here and open it again there.
        onPointerDownOutside={(event) => {
          if (event.target instanceof Node && anchor.contains(event.target)) event.preventDefault();
        }}
      >
        {children}
      </PopoverContent>
    </Popover>
  );
}
