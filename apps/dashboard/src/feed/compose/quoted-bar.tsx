import { X } from "lucide-react";
import { Button } from "@/ui/button";
import type { QuotedMessage } from "./draft";

export interface QuotedBarProps {
  readonly quoted: QuotedMessage;
  readonly onOption: (option: string) => void;
  /** Turns the answer into a plain reply, which leaves the ask open. */
  readonly onReplyOnly: () => void;
  readonly onRemove: () => void;
}

/** The message that the draft replies to or answers. For an ask, also shows its options. */
export function QuotedBar({ quoted, onOption, onReplyOnly, onRemove }: QuotedBarProps) {
  return (
    <div className="flex items-start gap-2 rounded-md border-l-2 border-primary bg-surface px-2.5 py-1.5 text-sm">
      <div className="min-w-0 flex-1">
        <p className="text-muted-foreground">
          {quoted.answers ? "Answering" : "Replying to"}{" "}
          <bdi className="font-medium text-foreground">{quoted.author}</bdi>{" "}
          <span className="tabular-nums">#{quoted.sequence}</span>
        </p>
        <p dir="auto" className="line-clamp-2 break-words">
          {quoted.text}
        </p>
        {quoted.answers && (
          <p className="mt-1 flex flex-wrap gap-1.5">
            {quoted.options.map((option) => (
              <Button
                key={option}
                type="button"
                variant="outline"
                size="sm"
                className="max-w-full"
                onClick={() => onOption(option)}
              >
                <bdi className="truncate">{option}</bdi>
              </Button>
            ))}
            <Button type="button" variant="ghost" size="sm" onClick={onReplyOnly}>
              Reply without answering
            </Button>
          </p>
        )}
      </div>
      <Button type="button" variant="ghost" size="icon" aria-label="Cancel reply" onClick={onRemove}>
        <X aria-hidden />
      </Button>
    </div>
  );
}
