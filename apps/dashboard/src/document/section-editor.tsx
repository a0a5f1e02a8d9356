"use client";

import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { type Conflict, type SaveOutcome, saveDocument, saveSection } from "@/document/save-document";
import { useSession } from "@/sessions/session-context";
import { ConflictView } from "./conflict-view";
import { EditorFrame } from "./editor-frame";
import { useDraftText } from "./use-draft-text";

export interface SectionEditorProps {
  readonly title: string;
  /** The section's markdown in `baseVersion`. */
  readonly section: string;
  readonly baseVersion: number;
  readonly onClose: () => void;
  /** Switches to the editor of the whole document after a conflict. */
  readonly onWhole: () => void;
}

/** Edits one section in place. Changes by others elsewhere in the document do not conflict. */
export function SectionEditor({ title, section, baseVersion, onClose, onWhole }: SectionEditorProps) {
  const { session } = useSession();
  const call = useCall();
  const text = useDraftText({ baseVersion, text: section.trimEnd(), section });
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const save = useAction();
  const sessionId = session.session_id;

  function settle(outcome: SaveOutcome): void {
    if (outcome.kind === "conflict") return setConflict(outcome.conflict);
    text.discard();
    onClose();
  }

  if (conflict) {
    const { theirsRevision } = conflict;
    const take = (merged: string) =>
      text.change({ text: merged, baseVersion: theirsRevision, section: null });
    return (
      <ConflictView
        key={theirsRevision}
        conflict={conflict}
        isSaving={save.isPending}
        refusal={save.refusal}
        onSave={(merged) => {
          take(merged);
          void save.run(async () =>
            settle(await saveDocument(call, { sessionId, baseVersion: theirsRevision, text: merged })),
          );
        }}
        onEdit={(merged) => {
          take(merged);
          onWhole();
        }}
        onBack={() => setConflict(null)}
      />
    );
  }
  return (
    <EditorFrame
      label={`Section ${title}`}
      text={text}
      isSaving={save.isPending}
      refusal={save.refusal}
      onSave={() =>
        void save.run(async () =>
          settle(await saveSection(call, { sessionId, baseVersion, section, text: text.draft.text })),
        )
      }
      onClose={onClose}
      className="rounded-lg border p-3"
      fieldClassName="min-h-32"
    />
  );
}
