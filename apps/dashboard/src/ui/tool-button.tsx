"use client";

import type { ReactNode } from "react";
import { Button } from "@/ui/button";

export interface ToolButtonProps {
  readonly icon: ReactNode;
  readonly label: string;
  /** The state of a button that opens and closes something beside the text. */
  readonly isPressed?: boolean;
  /** The same of one that opens something over it. */
  readonly isExpanded?: boolean;
  /** A note behind the words. */
  readonly note?: ReactNode;
  readonly onClick: () => void;
}

/** Something that can be done with a text: in words where there is room for them. */
export function ToolButton({ icon, label, isPressed, isExpanded, note, onClick }: ToolButtonProps) {
  return (
    <Button
      variant="ghost"
      size="sm"
      title={label}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      // Where a wide window has a narrow pane, all the words have one line.
      className="aria-pressed:bg-raised min-[1200px]:@max-[36rem]:gap-0.5 min-[1200px]:@max-[36rem]:px-1 min-[1200px]:@max-[36rem]:text-xs min-[1200px]:@max-[36rem]:[&_svg]:size-3.5"
      onClick={onClick}
    >
      {icon}
      <span className="sr-only @min-[36rem]:not-sr-only min-[1200px]:not-sr-only">{label}</span>
      {note}
    </Button>
  );
}
