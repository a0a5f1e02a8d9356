"use client";

import type { ReactNode } from "react";
import { Button } from "@/ui/button";

export interface ToolButtonProps {
  readonly icon: ReactNode;
  readonly label: string;
  /** The state of a button that opens and closes something beside the text. */
  readonly isPressed?: boolean;
  /** A note behind the words. */
  readonly note?: ReactNode;
  readonly onClick: () => void;
}

/** Something that can be done with a text: in words where there is room for them. */
export function ToolButton({ icon, label, isPressed, note, onClick }: ToolButtonProps) {
  return (
    <Button
      variant="ghost"
      size="sm"
      title={label}
      aria-pressed={isPressed}
      className="aria-pressed:bg-raised"
      onClick={onClick}
    >
      {icon}
      <span className="sr-only @min-[36rem]:not-sr-only min-[1200px]:not-sr-only">{label}</span>
      {note}
    </Button>
  );
}
