"use client";

import { mergeTexts, type SearchBounds } from "@merkle/wire/document";
import { useMemo, useState } from "react";
import type { Refusal } from "@/broker/refusal";
import { RefusalNote } from "@/components/refusal-note";
import type { Conflict } from "@/document/save-document";
import type { Revision } from "@/sessions/source";
import { type ConflictChoice, resolveMerge } from "@/text/diff/resolve-merge";
import { Button } from "@/ui/button";
import { MergeBlocks } from "./merge-blocks";
import { useVersion } from "./use-document";

/** Limits the merge search, so that the page stays responsive. */
const searchBounds: SearchBounds = { editLengthMax: 1_000, searchMsMax: 300 };

export interface ConflictViewProps {
  readonly conflict: Conflict<Revision>;
  readonly isSaving: boolean;
  readonly refusal: Refusal | null;
  readonly onSave: (merged: string) => void;
  readonly onEdit: (merged: string) => void;
  readonly onBack: () => void;
}

/**
 * Merges the user's text with a version that someone else saved in the meantime. Changes by only one side are applied
 * automatically. Each passage that both sides changed needs a choice, and saving is disabled until all choices are
 * made.
 */
export function ConflictView({ conflict, isSaving, refusal, onSave, onEdit, onBack }: ConflictViewProps) {
  const { theirsRevision } = conflict;
  const version = typeof theirsRevision === "number" ? theirsRevision : undefined;
  const writtenBy = useVersion(version)?.written_by ?? "Theirs";
  const blocks = useMemo(() => mergeTexts(conflict, searchBounds), [conflict]);
  const [choices, setChoices] = useState<ReadonlyMap<number, ConflictChoice>>(new Map());
  const conflictIndexes = blocks.flatMap((block, index) => (block.kind === "conflict" ? [index] : []));
  const unresolvedCount = conflictIndexes.filter((index) => !choices.has(index)).length;
  const merged = resolveMerge(blocks, choices);
  const chooseAll = (choice: ConflictChoice) =>
    setChoices(new Map(conflictIndexes.map((index) => [index, choice])));

  return (
    <section aria-label="Resolve conflict" className="flex h-full min-h-0 min-w-0 flex-col gap-2">
      <div className="text-sm">
        <h3 className="text-base font-semibold">
          {version === undefined ? (
            "The file changed while you were editing"
          ) : (
            <>
              <bdi>{writtenBy}</bdi> saved v{version} while you were editing
            </>
          )}
        </h3>
        <p role="status" className="text-muted-foreground">
          {describeWork(conflictIndexes.length, unresolvedCount)}
        </p>
      </div>
      {conflictIndexes.length > 1 && (
        <div className="flex flex-wrap gap-2">
          <Button variant="outline" size="sm" onClick={() => chooseAll("mine")}>
            Take all mine
          </Button>
          <Button variant="outline" size="sm" onClick={() => chooseAll("theirs")}>
            Take all theirs
          </Button>
          <Button variant="outline" size="sm" onClick={() => chooseAll("theirs-mine")}>
            Take all of both
          </Button>
        </div>
      )}
      <MergeBlocks
        blocks={blocks}
        choices={choices}
        theirName={writtenBy}
        onChoose={(index, choice) => setChoices(new Map(choices).set(index, choice))}
      />
      <RefusalNote refusal={refusal} isDraftSaved />
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={merged === null || isSaving} onClick={() => merged !== null && onSave(merged)}>
          {isSaving ? "Saving…" : "Save result"}
        </Button>
        <Button
          variant="outline"
          disabled={merged === null || isSaving}
          onClick={() => merged !== null && onEdit(merged)}
        >
          Edit result
        </Button>
        <Button variant="ghost" onClick={onBack}>
          Back to my text
        </Button>
      </div>
    </section>
  );
}

function describeWork(conflicts: number, unresolvedCount: number): string {
  if (conflicts === 0) return "No conflicts. Review and save.";
  const countText = conflicts === 1 ? "1 conflict" : `${conflicts} conflicts`;
  if (unresolvedCount === 0) return `${countText} resolved. Review and save.`;
  return `${unresolvedCount === conflicts ? countText : `${unresolvedCount} of ${countText}`} left to resolve. Other changes are merged.`;
}
