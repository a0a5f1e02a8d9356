"use client";

import { useEffect, useRef, useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import type { OpenDraft } from "@/parts/feature";
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { useKeptText } from "@/sessions/use-kept-text";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";
import { Textarea } from "@/ui/textarea";
import { useConclusion } from "./conclusion-card";

/** Concludes the session, or revises the conclusion of a closed session. */
export function ConcludeDialog({ onClose }: { readonly onClose: () => void }) {
  const { session } = useSession();
  const isClosed = session.status === "closed";
  const { data, problem } = useConclusion(isClosed ? session.session_id : null);
  if (isClosed && data === undefined && problem === undefined) return null;
  return <ConclusionForm savedText={data ?? ""} onClose={onClose} />;
}

interface ConclusionFormProps {
  /** The current conclusion. Empty in an open session. */
  readonly savedText: string;
  readonly onClose: () => void;
}

function ConclusionForm({ savedText, onClose }: ConclusionFormProps) {
  const { session, participants, myTeamId, refresh } = useSession();
  const call = useCall();
  const storageKey = `merkle.conclusion.${session.session_id}`;
  const [text, setText, forget] = useKeptText(storageKey, savedText);
  const [draftId, setDraftId, forgetDraft] = useKeptText(`${storageKey}.draft`, "");
  const [openDraft, setOpenDraft] = useState<OpenDraft | null>(null);
  const draft = openDraft?.id === draftId ? openDraft : null;
  const field = useRef<HTMLTextAreaElement>(null);
  // By default the browser focuses the first control in a dialog, which may be a button with an effect.
  useEffect(() => field.current?.focus(), []);
  const [isPreviewed, setPreviewed] = useState(false);
  const isClosed = session.status === "closed";
  const convener = participants.find((team) => team.convener);
  const isReserved = session.settings.conclude_by === "convener" && convener?.team_id !== myTeamId;

  async function conclude(signal: AbortSignal): Promise<void> {
    const { session_id } = session;
    if (draft !== null) await draft.accept(text, signal);
    else await call("conclude_session", { session_id, summary_section: text }, { signal });
    forget();
    forgetDraft();
    refresh();
  }

  return (
    <FormDialog
      className="sm:max-w-3xl"
      title={isClosed ? "Revise conclusion" : "Conclude this session?"}
      description={
        isClosed
          ? "This replaces the Conclusion section of the document and is shown in the feed. The session stays closed."
          : "The session closes for everyone: nothing can be posted after it, and only the conclusion can still be changed."
      }
      submit={isClosed ? "Save conclusion" : "Conclude for everyone"}
      submitting="Saving…"
      actions={
        <Button
          type="button"
          variant="ghost"
          className="mr-auto"
          disabled={text.trim() === ""}
          onClick={() => setPreviewed(!isPreviewed)}
        >
          {isPreviewed ? "Write" : "Preview"}
        </Button>
      }
      isReady={!isReserved && !draft?.isStale && text.trim() !== "" && text !== savedText}
      onSubmit={conclude}
      onClose={onClose}
    >
      {isReserved ? (
        <p className="text-warning">
          Only the convener, <bdi>{convener?.team_name}</bdi>, can conclude this session.
        </p>
      ) : (
        <Parts
          select={({ session: parts }) => parts?.ConclusionDraft}
          given={{
            usedId: draftId,
            isEmpty: text.trim() === "",
            onDraft: setOpenDraft,
            onUse: (id: string, drafted?: string) => {
              setDraftId(id);
              if (drafted === undefined) return;
              setText(drafted);
              field.current?.focus();
            },
          }}
        />
      )}
      {isPreviewed ? (
        <div className="max-h-[50dvh] min-h-48 overflow-y-auto rounded-md border px-3 py-2">
          <MarkdownText text={text} variant="document" />
        </div>
      ) : (
        <Textarea
          ref={field}
          aria-label="Conclusion (Markdown)"
          placeholder="What was decided, what’s done, what’s next. Markdown supported."
          className="max-h-[50dvh] min-h-48 font-mono text-sm"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </FormDialog>
  );
}
