"use client";

import { Command } from "cmdk";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { showHidden } from "@/text/markdown/hidden-characters";

/** A group of entries of one kind. */
export function PaletteGroup({
  heading,
  isEmpty,
  children,
}: {
  heading: string;
  isEmpty: boolean;
  children: ReactNode;
}) {
  if (isEmpty) return null;
  return (
    <Command.Group
      heading={heading}
      className="not-first:mt-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted-foreground"
    >
      {children}
    </Command.Group>
  );
}

interface PaletteItemProps {
  readonly value: string;
  readonly Icon: LucideIcon;
  readonly note?: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function PaletteItem({ value, Icon, note = "", onSelect, children }: PaletteItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="group/item flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1 data-[selected=true]:bg-raised pointer-coarse:min-h-11"
    >
      <Icon
        aria-hidden
        className="size-4 shrink-0 text-muted-foreground group-data-[selected=true]/item:text-link"
      />
      <span dir="auto" className="min-w-0 flex-1 truncate text-start">
        {children}
      </span>
      {note !== "" && (
        <bdi className="max-w-[45%] shrink-0 truncate text-sm text-muted-foreground">{showHidden(note)}</bdi>
      )}
    </Command.Item>
  );
}
