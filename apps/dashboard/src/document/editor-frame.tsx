"use client";

import { limits } from "@merkle/wire/limits";
import { Eye, PencilLine } from "lucide-react";
import { type ReactNode, useDeferredValue, useMemo, useState } from "react";
import type { Refusal } from "@/broker/refusal";
import { RefusalNote } from "@/components/refusal-note";
import { cn } from "@/core/utils";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";
import { DiscardDraftButton } from "./discard-draft";
import { MarkdownField } from "./markdown-field";
import type { DraftText } from "./use-draft-text";

const { documentBytesMax } = limits;
const utf8 = new TextEncoder();

export interface EditorFrameProps {
  readonly label: string;
  readonly text: DraftText;
  readonly isSaving: boolean;
  readonly refusal: Refusal | null;
  readonly onSave: () => void;
  readonly onClose: () => void;
  readonly note?: ReactNode;
  readonly className?: string;
  readonly fieldClassName?: string;
}

/** A markdown field with its preview, a size indicator and the buttons to save or cancel. */
export function EditorFrame({
  label,
  text,
  isSaving,
  refusal,
  onSave,
  onClose,
  note,
  className,
  fieldClassName,
}: EditorFrameProps) {
  const [isPreview, setPreview] = useState(false);
  const deferredText = useDeferredValue(text.draft.text);
  const bytes = useMemo(() => utf8.encode(deferredText).length, [deferredText]);
  const isTooLarge = bytes > documentBytesMax;
  const save = () => {
    if (text.isChanged && !isTooLarge) onSave();
  };
  return (
    <div className={cn("flex min-w-0 flex-col gap-2", className)}>
      {note}
      {isPreview ? (
        <section aria-label="Preview" className="min-h-32 flex-1 overflow-y-auto rounded-md border px-3 py-2">
          <MarkdownText text={deferredText} variant="document" className="max-w-[72ch]" />
        </section>
      ) : (
        <MarkdownField
          autoFocus
          label={label}
          value={text.draft.text}
          onChange={(value) => text.change({ text: value })}
          onSave={save}
          className={fieldClassName}
        />
      )}
      <RefusalNote refusal={refusal} isDraftSaved />
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={isSaving || isTooLarge || !text.isChanged} onClick={save}>
          {isSaving ? "Saving…" : "Save"}
        </Button>
        <Button variant="outline" aria-pressed={isPreview} onClick={() => setPreview(!isPreview)}>
          {isPreview ? <PencilLine aria-hidden /> : <Eye aria-hidden />}
          {isPreview ? "Write" : "Preview"}
        </Button>
        {text.isChanged ? (
          <DiscardDraftButton
            onDiscard={() => {
              text.discard();
              onClose();
            }}
          />
        ) : (
          <Button variant="ghost" onClick={onClose}>
            Close
          </Button>
        )}
        <p
          className={cn(
            "ms-auto text-end text-xs text-muted-foreground tabular-nums",
            isTooLarge && "text-danger",
          )}
        >
          {describeSize(bytes)}
          {text.isChanged &&
            (text.isStored
              ? " · draft saved in this browser"
              : " · draft not saved: browser storage is full")}
        </p>
      </div>
    </div>
  );
}

function describeSize(bytes: number): string {
  if (bytes > documentBytesMax) {
    return `${bytes - documentBytesMax} bytes over the document limit (${documentBytesMax / 1024} kB)`;
  }
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} of ${documentBytesMax / 1024} kB`;
}
