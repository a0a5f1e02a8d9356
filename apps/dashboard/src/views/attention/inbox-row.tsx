"use client";

import { type AttentionItem, describeItemSource, formatItemSentence, toItemHref } from "@merkle/wire";
import { useRouter } from "next/navigation";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import type { ActionNote } from "@/parts/feature";
import { ItemActions } from "./item-actions";
import { ItemMark } from "./item-mark";
import { ItemSentence } from "./item-sentence";
import { PutAway } from "./put-away";
import { SelectBox } from "./select-box";
import { type HideItemActions, isHidden } from "./use-put-away";

export interface InboxRowProps {
  readonly item: AttentionItem;
  /** Whether the item is shown next to the list. */
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  readonly hideActions: HideItemActions;
  readonly onSelect: (isSelected: boolean) => void;
  readonly onOpen: () => void;
  /** Opens the item and focuses the field for the answer. */
  readonly onAnswer: () => void;
  /** Called after an action on the item. */
  readonly onDone: (note: ActionNote) => void;
}

/** An item in one line: its kind, author, subject, place and age, and its main action. */
export function InboxRow({
  item,
  isCurrent,
  isSelected,
  hideActions,
  onSelect,
  onOpen,
  onAnswer,
  onDone,
}: InboxRowProps) {
  const router = useRouter();
  return (
    <li
      data-current={isCurrent || undefined}
      className="group flex flex-wrap items-center gap-x-1 px-4 hover:bg-surface data-current:bg-raised sm:flex-nowrap lg:px-6"
    >
      <SelectBox label={`Select: ${formatItemSentence(item)}`} isSelected={isSelected} onSelect={onSelect} />
      <button
        type="button"
        data-item={item.id}
        aria-current={isCurrent ? "true" : undefined}
        onClick={onOpen}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          router.push(toItemHref(item));
        }}
        className="flex min-h-10 min-w-0 flex-1 basis-[calc(100%-3rem)] items-center gap-3 sm:basis-0 py-1.5 text-left -outline-offset-2 pointer-coarse:min-h-11"
      >
        <ItemMark kind={item.kind} />
        <span className="flex min-w-0 flex-1 flex-col gap-x-3 sm:flex-row sm:items-baseline">
          <span className="min-w-0 flex-1 max-sm:line-clamp-2 sm:truncate">
            <ItemSentence item={item} />
          </span>
          <span className="flex min-w-0 items-baseline gap-3 text-sm text-muted-foreground">
            <span
              className="max-w-48 min-w-0 truncate sm:w-28 xl:w-36"
              // A path that is too long is truncated at its start, so that the file name stays visible.
              dir={item.session_id === null ? "rtl" : "auto"}
            >
              <bdi>{describeItemSource(item)}</bdi>
            </span>
            {item.snoozed_until === null ? (
              <TimeText
                at={item.since}
                className="shrink-0 tabular-nums sm:w-13 sm:text-right sm:group-focus-within:hidden sm:group-hover:hidden sm:group-data-current:hidden"
              />
            ) : (
              <span className="shrink-0">
                back <TimeText at={item.snoozed_until} as="clock" />
              </span>
            )}
          </span>
        </span>
      </button>
      {/* On wider screens the snooze and done buttons are visible on hover or focus and replace the age, so that they take no space. */}
      <span
        className={cn(
          "flex w-16 shrink-0 justify-end text-muted-foreground max-sm:order-last max-sm:w-auto max-sm:pb-2",
          isHidden(item)
            ? "w-auto"
            : "sm:sr-only sm:group-focus-within:not-sr-only sm:group-hover:not-sr-only sm:group-data-current:not-sr-only",
        )}
      >
        <PutAway item={item} hideActions={hideActions} />
      </span>
      {!isHidden(item) && (
        <span className="flex min-w-20 max-w-full justify-end max-sm:ms-auto max-sm:pb-2 sm:shrink-0">
          <ItemActions item={item} onDone={onDone} onAnswer={onAnswer} showsOptions={false} />
        </span>
      )}
    </li>
  );
}
