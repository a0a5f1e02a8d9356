"use client";

import type { ProposalInFull } from "@merkle/wire";
import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { type Call, useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { setQuery } from "@/core/address/address";
import { ConflictView } from "@/document/conflict-view";
import { MarkdownField } from "@/document/markdown-field";
import { type Conflict, findConflict, isConflict } from "@/document/save-document";
import type { Revision } from "@/sessions/source";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";
import { findBase } from "./base-of";
import { useKeptProposalText } from "./use-kept-proposal-text";

export interface ProposalEditorProps {
  readonly proposal: ProposalInFull;
  /** The initial text: the proposed text without the hunks that were left out. */
  readonly start: string;
  readonly onDecided: () => void;
  readonly onClose: () => void;
}

/** The revision to decide on, and the text that it is based on. */
interface EditedProposal {
  readonly id: number;
  readonly base: Revision | null;
}

/**
 * Edits proposed text before it is accepted. If the document or file has changed in the meantime, both texts are
 * merged. The typed text is never lost.
 */
export function ProposalEditor({ proposal, start, onDecided, onClose }: ProposalEditorProps) {
  const { proposal_id, session_id, source_path, kind, base_version, base_sha } = proposal;
  const call = useCall();
  const [initialText] = useState(start);
  // The proposal's base when editing began, even if newer text has arrived since.
  const [base, setBase] = useState(() => findBase(proposal));
  const [text, setText, forget] = useKeptProposalText(proposal_id, initialText);
  const [isPreview, setPreview] = useState(false);
  const [conflict, setConflict] = useState<Conflict<Revision> | null>(null);
  const { run, isPending, refusal } = useAction();
  // The revision to accept. After a merge with newer text, this is a new revision.
  const [target, setTarget] = useState<EditedProposal>(() => ({
    id: proposal_id,
    base: base_version ?? base_sha,
  }));
  const isDecided = proposal.status !== "open" && target.id === proposal_id && !isPending;

  function accept(content: string, revision: Revision | null): void {
    if (revision === null || isDecided) return;
    void run(async (signal) => {
      const preparedTarget = await prepareTarget(revision);
      try {
        await call(
          "decide_proposal",
          { proposal_id: preparedTarget.id, decision: "accept", base: revision, content },
          { signal },
        );
      } catch (error) {
        onDecided();
        const newerConflict = isConflict(error)
          ? await findNewerConflict(preparedTarget.id, content, revision)
          : null;
        if (newerConflict === null) throw error;
        setConflict(newerConflict);
        return;
      }
      forget();
      onDecided();
      if (preparedTarget.id === proposal_id) onClose();
      else setQuery({ proposal: String(preparedTarget.id) }, { replace: true });
    });
  }

  /** Rebases the proposal onto the text that the user has seen, so that accepting never uses an older base. */
  async function prepareTarget(revision: Revision): Promise<EditedProposal> {
    if (revision === target.base) return target;
    const { next_proposal_id } = await call("decide_proposal", {
      proposal_id: target.id,
      decision: "rebase",
    });
    const next = { id: next_proposal_id ?? target.id, base: revision };
    setTarget(next);
    return next;
  }

  /** Returns the conflict if someone else changed the text in the meantime. Null if the proposal itself was decided. */
  async function findNewerConflict(
    id: number,
    text: string,
    revision: Revision,
  ): Promise<Conflict<Revision> | null> {
    const current = await call("get_proposal", { proposal_id: id });
    if (current.status !== "open" || kind !== "rewrite") return null;
    if (typeof revision === "string") {
      return source_path === null ? null : findFileConflict(call, { source_path, base: revision, text });
    }
    if (session_id === null) return null;
    const outcome = await findConflict(call, { sessionId: session_id, baseVersion: revision, text });
    return outcome.kind === "conflict" ? outcome.conflict : null;
  }

  if (conflict && !isDecided) {
    const { theirsRevision } = conflict;
    return (
      <div className="flex-1 p-3">
        <ConflictView
          key={theirsRevision}
          conflict={conflict}
          isSaving={isPending}
          refusal={refusal}
          onSave={(merged) => {
            setText(merged);
            setBase(theirsRevision);
            setConflict(null);
            accept(merged, theirsRevision);
          }}
          onEdit={(merged) => {
            setText(merged);
            setBase(theirsRevision);
            setConflict(null);
          }}
          onBack={() => setConflict(null)}
        />
      </div>
    );
  }
  return (
    <form
      aria-label="Edit and accept"
      className="flex flex-1 flex-col gap-2 px-3 pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        accept(text, base);
      }}
    >
      {isPreview ? (
        <section aria-label="Preview" className="min-h-48 flex-1 rounded-md border px-3 py-2">
          <MarkdownText text={text} variant="document" className="max-w-[72ch]" />
        </section>
      ) : (
        <MarkdownField
          autoFocus
          label={`Text of proposal ${proposal_id}`}
          value={text}
          onChange={setText}
          onSave={() => accept(text, base)}
          className="min-h-48 flex-1"
        />
      )}
      <div className="sticky bottom-0 grid gap-2 border-t bg-background py-2">
        {isDecided ? (
          <p role="status" className="text-sm">
            {proposal.decided_by === null ? (
              "Someone"
            ) : (
              <bdi className="font-medium">{proposal.decided_by}</bdi>
            )}{" "}
            decided on this proposal while you were editing. Your draft is saved.
          </p>
        ) : (
          <RefusalNote refusal={refusal} isDraftSaved />
        )}
        <div className="flex flex-wrap gap-2">
          {!isDecided && (
            <Button type="submit" disabled={isPending || text.trim() === ""}>
              {isPending ? "Accepting…" : "Accept this text"}
            </Button>
          )}
          <Button
            type="button"
            variant="outline"
            aria-pressed={isPreview}
            onClick={() => setPreview(!isPreview)}
          >
            {isPreview ? "Write" : "Preview"}
          </Button>
          <Button type="button" variant="ghost" onClick={onClose}>
            {isDecided ? "View decision" : "Back to changes"}
          </Button>
          {text !== initialText && (
            <Button type="button" variant="ghost" onClick={() => setText(initialText)}>
              Discard my changes
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

interface FileEdit {
  readonly source_path: string;
  /** The hash of the text that editing began from. */
  readonly base: string;
  readonly text: string;
}

/**
 * Returns the conflict if a file was changed in the meantime. Null if the current text equals the user's text or the
 * base.
 */
async function findFileConflict(
  call: Call,
  { source_path, base, text }: FileEdit,
): Promise<Conflict<string> | null> {
  const [before, current] = await Promise.all([
    call("read_source", { source_path, source_sha: base }),
    call("read_source", { source_path }),
  ]);
  if (current.text === text || current.source_sha === base) return null;
  return { base: before.text, mine: text, theirs: current.text, theirsRevision: current.source_sha };
}
