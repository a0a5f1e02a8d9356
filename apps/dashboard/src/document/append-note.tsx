"use client";

import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { useSession } from "@/sessions/session-context";
import { useKeptText } from "@/sessions/use-kept-text";
import { Button } from "@/ui/button";
import { MarkdownField } from "./markdown-field";

/** A form that appends a paragraph to the document. Appending never conflicts with other authors. */
export function AppendNote({ onClose }: { onClose: () => void }) {
  const { session } = useSession();
  const call = useCall();
  const [text, setText, forgetText] = useKeptText(`merkle.document-note.${session.session_id}`, "");
  const save = useAction();

  function append(): void {
    if (text.trim() === "") return;
    void save.run(async () => {
      // The blank line before the text makes it a separate paragraph.
      await call("append_to_session_doc", { session_id: session.session_id, text: `\n${text.trim()}\n` });
      forgetText();
      onClose();
    });
  }

  return (
    <form
      className="grid gap-2 border-t p-3"
      onSubmit={(event) => {
        event.preventDefault();
        append();
      }}
    >
      <MarkdownField autoFocus label="Note" value={text} onChange={setText} onSave={append} />
      <RefusalNote refusal={save.refusal} isDraftSaved />
      <div className="flex gap-2">
        <Button type="submit" disabled={save.isPending || text.trim() === ""}>
          {save.isPending ? "Adding…" : "Add at the end"}
        </Button>
        <Button variant="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
