"use client";

import { useEffect, useRef, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import type { OpenDraft } from "@/parts/feature";
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { useKeptText } from "@/sessions/use-kept-text";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Button } from "@/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/ui/dialog";
import { Skeleton } from "@/ui/skeleton";
import { Textarea } from "@/ui/textarea";
import { useConclusion } from "./conclusion-card";

/** Concludes the session, or revises the conclusion of a closed session. */
export function ConcludeDialog({ onClose }: { onClose: () => void }) {
  const { session, participants, myTeamId } = useSession();
  const closed = session.status === "closed";
  const written = useConclusion(closed ? session.session_id : null);
  const convener = participants.find((team) => team.convener);
  const convenerAlone = session.settings.conclude_by === "convener" && convener?.team_id !== myTeamId;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-3xl">
        <DialogHeader>
          <DialogTitle>{closed ? "Revise conclusion" : "Conclude this session?"}</DialogTitle>
          <DialogDescription>
            {closed
              ? "This replaces the Conclusion section of the document and is shown in the feed. The session stays closed."
              : "This is final: the session closes for everyone, and nothing can be posted after it. The conclusion can still be revised."}
          </DialogDescription>
        </DialogHeader>
        {convenerAlone && (
          <p className="text-warning">
            Only the convener, <bdi>{convener?.team_name}</bdi>, can conclude this session.
          </p>
        )}
        {closed && written.data === undefined && written.problem === undefined ? (
          <Skeleton className="h-60" />
        ) : (
          <ConclusionForm written={written.data ?? ""} mayNot={convenerAlone} onClose={onClose} />
        )}
      </DialogContent>
    </Dialog>
  );
}

interface ConclusionFormProps {
  /** The current conclusion. Empty in an open session. */
  readonly written: string;
  readonly mayNot: boolean;
  readonly onClose: () => void;
}

function ConclusionForm({ written, mayNot, onClose }: ConclusionFormProps) {
  const { session, refresh } = useSession();
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const place = `merkle.conclusion.${session.session_id}`;
  const [text, setText, forget] = useKeptText(place, written);
  const [ofDraft, setOfDraft, forgetDraft] = useKeptText(`${place}.draft`, "");
  const [draft, setDraft] = useState<OpenDraft | null>(null);
  const used = draft?.id === ofDraft ? draft : null;
  const field = useRef<HTMLTextAreaElement>(null);
  // By default the browser focuses the first control in a dialog, which may be a button with an effect.
  useEffect(() => field.current?.focus(), []);
  const [previewed, setPreviewed] = useState(false);
  const closed = session.status === "closed";

  async function conclude(): Promise<void> {
    const done = await run(async (signal) => {
      if (used !== null) await used.accept(text, signal);
      else
        await call("conclude_session", { session_id: session.session_id, summary_section: text }, { signal });
    });
    if (!done) return;
    forget();
    forgetDraft();
    refresh();
    onClose();
  }

  return (
    <form
      className="grid min-w-0 gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void conclude();
      }}
    >
      {!mayNot && (
        <Parts
          of={({ session: parts }) => parts?.ConclusionDraft}
          given={{
            usedId: ofDraft,
            isEmpty: text.trim() === "",
            onDraft: setDraft,
            onUse: (id: string, drafted?: string) => {
              setOfDraft(id);
              if (drafted === undefined) return;
              setText(drafted);
              field.current?.focus();
            },
          }}
        />
      )}
      {previewed ? (
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
      <RefusalNote refusal={refusal} />
      <DialogFooter>
        <Button
          type="button"
          variant="ghost"
          className="mr-auto"
          disabled={text.trim() === ""}
          onClick={() => setPreviewed(!previewed)}
        >
          {previewed ? "Write" : "Preview"}
        </Button>
        <Button type="button" variant="outline" onClick={onClose}>
          Cancel
        </Button>
        <Button
          type="submit"
          disabled={pending || mayNot || used?.isStale || text.trim() === "" || text === written}
        >
          {pending ? "Saving…" : closed ? "Save conclusion" : "Conclude for everyone"}
        </Button>
      </DialogFooter>
    </form>
  );
}
