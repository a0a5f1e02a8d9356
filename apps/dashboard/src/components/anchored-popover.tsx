"use client";

import { type ReactNode, useMemo } from "react";
import { Popover, PopoverAnchor, PopoverContent } from "@/ui/popover";

export interface AnchoredPopoverProps {
  readonly label: string;
  /**
   * The element next to which the popover opens, and which receives the focus when the popover closes. The element is
   * rendered outside this module, so that the popover's code loads only when the popover is first opened.
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
          // A button in the popover may have moved the focus elsewhere, for example to the composer.
          if (document.activeElement === null || document.activeElement === document.body) anchor.focus();
        }}
        // If pressing the anchor closed the popover, the anchor's own handler would immediately open it again.
        onPointerDownOutside={(event) => {
          if (event.target instanceof Node && anchor.contains(event.target)) event.preventDefault();
        }}
      >
        {children}
      </PopoverContent>
    </Popover>
  );
}
