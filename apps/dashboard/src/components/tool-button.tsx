"use client";

import type { ReactNode } from "react";
import { Button } from "@/ui/button";

export interface ToolButtonProps {
  readonly icon: ReactNode;
  readonly label: string;
  /** State of a button that toggles a pane next to the text. */
  readonly isPressed?: boolean;
  /** State of a button that opens a popover over the text. */
  readonly isExpanded?: boolean;
  /** Shown after the label. */
  readonly note?: ReactNode;
  readonly onClick: () => void;
}

/** A button in the toolbar above the text. The label is shown if there is space. */
export function ToolButton({ icon, label, isPressed, isExpanded, note, onClick }: ToolButtonProps) {
  return (
    <Button
      variant="ghost"
      size="sm"
      title={label}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      // In a wide window with a narrow pane, the toolbar has its own line with room for all labels.
      className="aria-pressed:bg-raised min-[1200px]:@max-[36rem]:gap-0.5 min-[1200px]:@max-[36rem]:px-1 min-[1200px]:@max-[36rem]:text-xs min-[1200px]:@max-[36rem]:[&_svg]:size-3.5"
      onClick={onClick}
    >
      {icon}
      <span className="sr-only @min-[36rem]:not-sr-only min-[1200px]:not-sr-only">{label}</span>
      {note}
    </Button>
  );
}
