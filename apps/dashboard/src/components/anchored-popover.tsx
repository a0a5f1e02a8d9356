"use client";

import { type ReactNode, useMemo } from "react";
import { Popover, PopoverAnchor, PopoverContent } from "@/ui/popover";

export interface AnchoredPopoverProps {
  readonly label: string;
  /**
   * The element that the popover opens at. It receives the focus when the popover closes. The anchor does not depend on this
   * module, so popovers load when first opened.
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
          // A button inside may have moved the focus elsewhere, for example to the composer.
          if (document.activeElement === null || document.activeElement === document.body) anchor.focus();
        }}
        // A press on the anchor would close the popover here, and the anchor would then open it again.
        onPointerDownOutside={(event) => {
          if (event.target instanceof Node && anchor.contains(event.target)) event.preventDefault();
        }}
      >
        {children}
      </PopoverContent>
    </Popover>
  );
}
