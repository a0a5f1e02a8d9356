"use client";

import { describeGroup, type ItemGroup } from "@merkle/wire";
import { ChevronRight } from "lucide-react";
import { cn } from "@/core/utils";
import { ItemMark } from "./item-mark";
import { SelectBox } from "./select-box";

export interface GroupLineProps {
  readonly group: ItemGroup;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onToggle: () => void;
}

/** One line for several items of the same kind, which unfolds. */
export function GroupLine({ group, isSelected, onSelect, onToggle }: GroupLineProps) {
  const text = describeGroup(group);
  return (
    <li className="flex items-center gap-x-1 px-4 hover:bg-surface lg:px-6">
      <SelectBox label={`Select: ${text}`} isSelected={isSelected} onSelect={onSelect} />
      <button
        type="button"
        aria-expanded={group.isOpen}
        onClick={onToggle}
        className="flex min-h-10 min-w-0 flex-1 items-center gap-3 text-left -outline-offset-2 pointer-coarse:min-h-11"
      >
        <ItemMark kind={group.kind} />
        <span className="min-w-0 flex-1 font-medium">{text}</span>
        <ChevronRight
          aria-hidden
          className={cn("size-4 shrink-0 text-muted-foreground", group.isOpen && "rotate-90")}
        />
      </button>
    </li>
  );
}
