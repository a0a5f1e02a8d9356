"use client";

import type { Persona } from "@merkle/wire";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { ListRow } from "@/components/row-list";
import { TimeText } from "@/components/time-text";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";

/** A persona: the beginning of its prompt, its author, and the actions on it. */
export function PersonaRow({ persona, onEdit }: { readonly persona: Persona; readonly onEdit: () => void }) {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const { name, prompt, version, retired, updated_by, updated_at } = persona;
  // If someone else has changed the persona, the broker refuses this call, and the row shows the current version.
  const input = { name, prompt, expected_version: version, retired: !retired };
  const setRetired = () => void run(async (signal) => void (await call("put_persona", input, { signal })));
  return (
    <ListRow
      title={<bdi className="font-medium">{showHidden(name)}</bdi>}
      facts={
        <>
          <span dir="auto" className="line-clamp-2 [overflow-wrap:anywhere] text-foreground">
            {showHidden(findFirstParagraph(prompt))}
          </span>
          {updated_by === null ? (
            "Built in"
          ) : (
            <>
              Version {version} · <bdi>{showHidden(updated_by)}</bdi> <TimeText at={updated_at} />
            </>
          )}
        </>
      }
      action={
        <div className="grid justify-items-end gap-1">
          <div className="flex gap-2">
            <Button variant="outline" size="sm" aria-label={`Edit ${name}`} onClick={onEdit}>
              Edit…
            </Button>
            <Button
              variant="outline"
              size="sm"
              disabled={isPending}
              aria-label={`${retired ? "Restore" : "Retire"} ${name}`}
              onClick={setRetired}
            >
              {retired ? "Restore" : "Retire"}
            </Button>
          </div>
          <RefusalNote refusal={refusal} />
        </div>
      }
    />
  );
}

/** Returns the first paragraph of the prompt, which describes the persona. */
function findFirstParagraph(prompt: string): string {
  return prompt.trim().split(/\n\s*\n/, 1)[0] ?? "";
}
