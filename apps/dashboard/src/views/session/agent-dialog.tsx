"use client";

import { useId, useState } from "react";
import { useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { useSession } from "@/sessions/session-context";
import { Checkbox } from "@/ui/checkbox";

/** Sets whether an agent that drafts the conclusion may also conclude the session, without a person's approval. */
export function AgentDialog({ onClose }: { onClose: () => void }) {
  const { session, refresh } = useSession();
  const call = useCall();
  const id = useId();
  const [canConclude, setCanConclude] = useState(session.settings.agent_concludes === "concludes");

  return (
    <FormDialog
      title="Who can conclude"
      description="An agent asked for the conclusion reads the feed and document and writes a draft. You edit the draft and conclude, unless you allow the agent to conclude."
      isPower
      submit="Save"
      submitting="Saving…"
      onSubmit={(signal) =>
        call(
          "update_settings",
          {
            session_id: session.session_id,
            session_settings: { agent_concludes: canConclude ? "concludes" : "proposes" },
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
          checked={canConclude}
          onChange={(event) => setCanConclude(event.target.checked)}
        />
        <span>
          Let the agent conclude the session
          <span className="block text-sm text-muted-foreground">
            The session then closes for everyone without a review. The conclusion can still be revised.
          </span>
        </span>
      </label>
    </FormDialog>
  );
}
