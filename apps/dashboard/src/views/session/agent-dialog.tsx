"use client";

import { useId, useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { useSession } from "@/sessions/session-context";
import { Checkbox } from "@/ui/checkbox";

/** Whether an agent that drafts the conclusion may conclude with its draft, without a person in between. */
export function AgentDialog({ onClose }: { onClose: () => void }) {
  const { session, refresh } = useSession();
  const call = useCall();
  const id = useId();
  const [concludes, setConcludes] = useState(session.settings.agent_concludes === "concludes");

  return (
    <FormDialog
      title="Who can conclude"
      description="An agent that is asked for the conclusion reads feed and document and drafts it. What it writes is yours to edit and to conclude with, unless you let it."
      isPower
      submit="Save"
      submitting="Saving…"
      onSubmit={(signal) =>
        call(
          "update_settings",
          {
            session_id: session.session_id,
            session_settings: { agent_concludes: concludes ? "concludes" : "proposes" },
          },
          { signal },
        )
      }
      onDone={refresh}
      onClose={onClose}
    >
      <label htmlFor={id} className="flex min-h-6 items-start gap-2 pointer-coarse:min-h-11">
        <Checkbox
          id={id}
          className="mt-0.5"
          checked={concludes}
          onChange={(event) => setConcludes(event.target.checked)}
        />
        <span>
          The agent may conclude by itself
          <span className="block text-sm text-muted-foreground">
            The session then closes for everyone with what it wrote, unseen. The conclusion can still be
            revised.
          </span>
        </span>
      </label>
    </FormDialog>
  );
}
