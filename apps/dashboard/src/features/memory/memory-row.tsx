"use client";

import { Check, Copy, RotateCcw, Tags, Trash2, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { PageLink } from "@/components/page-link";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { copyText } from "@/core/copy-text";
import { cn } from "@/core/utils";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { MarkedText } from "@/text/marked-text";
import { Button } from "@/ui/button";
import type { ShownMemory } from "./use-memories";

/** The action that the user chose for a memory. */
export interface MemoryAction {
  readonly kind: "forget" | "tags";
  readonly memory: ShownMemory;
}

export interface MemoryRowProps {
  readonly memory: ShownMemory;
  readonly showsSession: boolean;
  /** The tags that the list is filtered by. */
  readonly chosenTags: readonly string[];
  readonly onAction: (action: MemoryAction) => void;
}

/** A longer memory is cut off, with a button to show all of it. */
const linesMax = 8;
const charsMax = 900;

/** A memory: its text with highlighted matches, its tags, author, session and time. */
export function MemoryRow({ memory, showsSession, chosenTags, onAction }: MemoryRowProps) {
  const { id, content, marked, tags, forgotten } = memory;
  const [isWhole, setIsWhole] = useState(false);
  // In search results the matching excerpt is shown instead of the rendered text.
  const hasMatches = marked !== undefined && !isWhole;
  const isLong = content.length > charsMax || content.split("\n").length > linesMax;
  return (
    <li
      aria-labelledby={`${id}-text`}
      className="grid min-w-0 gap-x-4 gap-y-1 px-3 py-row sm:grid-cols-[minmax(0,1fr)_auto]"
    >
      <div className="min-w-0">
        <div
          id={`${id}-text`}
          className={cn(
            "[overflow-wrap:anywhere]",
            forgotten && "text-muted-foreground line-through decoration-1",
            !isWhole &&
              isLong &&
              "max-h-40 overflow-hidden [mask-image:linear-gradient(#000_70%,transparent)]",
          )}
        >
          {hasMatches ? (
            <p dir="auto" className="whitespace-pre-wrap">
              <MarkedText text={marked} />
            </p>
          ) : (
            <MarkdownText text={content} className="max-w-[72ch]" />
          )}
        </div>
        {isLong && (
          <Button
            variant="ghost"
            size="sm"
            className="-ml-2 text-link"
            aria-expanded={isWhole}
            onClick={() => setIsWhole(!isWhole)}
          >
            {isWhole ? "Show less" : `Show all ${content.length.toLocaleString("en-GB")} characters`}
          </Button>
        )}
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted-foreground">
          <bdi>{memory.rememberedBy}</bdi>
          {showsSession && memory.session !== null && (
            <>
              <span aria-hidden>·</span>
              <PageLink
                href={`/sessions/${memory.session}?at=${memory.rememberedAt}`}
                title="Open the session at this time"
                className="inline-block py-0.5 text-link underline-offset-4 hover:underline pointer-coarse:py-3"
              >
                {memory.session}
              </PageLink>
            </>
          )}
          <span aria-hidden>·</span>
          <TimeText at={memory.rememberedAt} />
          {tags.map((tag) => (
            <button
              key={tag}
              type="button"
              dir="auto"
              title={`Only memories with the tag ${tag}`}
              aria-pressed={chosenTags.includes(tag)}
              onClick={() => setQuery({ tag: toggle(chosenTags, tag).join(","), before: null })}
              // On touch screens the tap target is larger than the visible button.
              className="relative min-h-6 rounded-md border px-1.5 text-xs leading-5 font-medium hover:bg-raised aria-pressed:border-primary aria-pressed:text-link pointer-coarse:after:absolute pointer-coarse:after:-inset-x-1 pointer-coarse:after:-inset-y-2.5"
            >
              {tag}
            </button>
          ))}
        </p>
        {forgotten && (
          <p className="mt-1 text-sm [overflow-wrap:anywhere]">
            Forgotten by <bdi>{forgotten.by}</bdi> <TimeText at={forgotten.at} />:{" "}
            <bdi>{forgotten.reason}</bdi>
          </p>
        )}
      </div>
      <div className="flex items-start max-sm:-ml-3 sm:justify-end">
        <CopyMemory memory={memory} />
        {forgotten ? (
          <Restore id={id} />
        ) : (
          <>
            <Button
              variant="ghost"
              size="icon"
              title="Edit tags"
              aria-label={`Edit the tags of ${id}`}
              onClick={() => onAction({ kind: "tags", memory })}
            >
              <Tags aria-hidden />
            </Button>
            <Button
              variant="ghost"
              size="icon"
              title="Forget…"
              aria-label={`Forget ${id}`}
              onClick={() => onAction({ kind: "forget", memory })}
            >
              <Trash2 aria-hidden />
            </Button>
          </>
        )}
      </div>
    </li>
  );
}

function Restore({ id }: { id: string }) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  return (
    <div className="grid justify-items-end gap-1">
      <Button
        variant="outline"
        size="sm"
        disabled={isPending}
        onClick={() => void run(async (signal) => void (await call("restore_memory", { id }, { signal })))}
      >
        <RotateCcw aria-hidden />
        Restore
        <span className="sr-only">{id}</span>
      </Button>
      <RefusalNote refusal={refusal} />
    </div>
  );
}

function toggle(tags: readonly string[], tag: string): readonly string[] {
  return tags.includes(tag) ? tags.filter((each) => each !== tag) : [...tags, tag];
}

const shownMs = 2_000;

/** Copies a memory together with its id, so that it can be cited. */
function CopyMemory({ memory: { id, content } }: { memory: ShownMemory }) {
  const [isCopied, setCopied] = useState<boolean | null>(null);
  useEffect(() => {
    if (isCopied === null) return;
    const timer = setTimeout(() => setCopied(null), shownMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        title="Copy"
        aria-label={`Copy ${id}`}
        onClick={async () => setCopied(await copyText(`${content}\n\n(${id})`))}
      >
        {isCopied === null ? (
          <Copy aria-hidden />
        ) : isCopied ? (
          <Check aria-hidden className="text-success" />
        ) : (
          <X aria-hidden className="text-danger" />
        )}
      </Button>
      <span role="status" className="sr-only">
        {isCopied === true && `Copied ${id}`}
        {isCopied === false && "Couldn't copy. Select the text instead."}
      </span>
    </>
  );
}
