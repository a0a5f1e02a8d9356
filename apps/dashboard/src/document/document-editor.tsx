"use client";

import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { type Conflict, findConflict, type SaveOutcome, saveDocument } from "@/document/save-document";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { ConflictView } from "./conflict-view";
import { EditorFrame } from "./editor-frame";
import { useVersion } from "./use-document";
import { useDraftText } from "./use-draft-text";

export interface DocumentEditorProps {
  /** The newest version of the document. */
  readonly doc: { readonly version: number; readonly content: string };
  readonly onClose: () => void;
}

/** The editor for the whole document. If someone else saved first, it shows both texts and lets the user merge them. */
export function DocumentEditor({ doc, onClose }: DocumentEditorProps) {
  const { session } = useSession();
  const call = useCall();
  const text = useDraftText({ baseVersion: doc.version, text: doc.content, section: null });
  const { baseVersion } = text.draft;
  const newest = useVersion(doc.version > baseVersion ? doc.version : undefined);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const save = useAction();
  const sessionId = session.session_id;

  function settle(outcome: SaveOutcome): void {
    if (outcome.kind === "conflict") return setConflict(outcome.conflict);
    text.discard();
    onClose();
  }

  /** Stores the text as the draft before sending it, so that a reload during the request does not lose the merge. */
  function write(next: { text: string; baseVersion: number }): void {
    text.change(next);
    void save.run(async () => settle(await saveDocument(call, { sessionId, ...next })));
  }

  if (conflict) {
    return (
      <ConflictView
        // The key resets all choices when a new conflict appears.
        key={conflict.theirsRevision}
        conflict={conflict}
        isSaving={save.isPending}
        refusal={save.refusal}
        onSave={(merged) => write({ text: merged, baseVersion: conflict.theirsRevision })}
        onEdit={(merged) => {
          text.change({ text: merged, baseVersion: conflict.theirsRevision });
          setConflict(null);
        }}
        onBack={() => setConflict(null)}
      />
    );
  }
  return (
    <EditorFrame
      label={`Document, based on version ${baseVersion}`}
      text={text}
      isSaving={save.isPending}
      refusal={save.refusal}
      onSave={() => write({ text: text.draft.text, baseVersion })}
      onClose={onClose}
      className="h-full min-h-0"
      fieldClassName="field-sizing-fixed min-h-0 flex-1 resize-none"
      note={
        doc.version > baseVersion && (
          <p role="status" className="flex flex-wrap items-center gap-2 text-sm">
            <span>
              {newest ? <bdi className="font-medium">{newest.written_by}</bdi> : "Someone"} saved v
              {doc.version}. You’re editing v{baseVersion}.
            </span>
            <Button
              variant="outline"
              size="sm"
              disabled={save.isPending}
              onClick={() =>
                void save.run(async () =>
                  settle(await findConflict(call, { sessionId, baseVersion, text: text.draft.text })),
                )
              }
            >
              Merge
            </Button>
          </p>
        )
      }
    />
  );
}
