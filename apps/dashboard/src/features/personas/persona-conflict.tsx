import type { Persona } from "@merkle/wire";
import { TimeText } from "@/components/time-text";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";

export interface PersonaConflictProps {
  readonly theirs: Persona;
  readonly onTake: () => void;
}

/** The version that someone else saved in the meantime. The user can adopt or deliberately replace it. */
export function PersonaConflict({ theirs, onTake }: PersonaConflictProps) {
  const { name, prompt, version, retired, updated_by, updated_at } = theirs;
  return (
    <div
      role="alert"
      className="grid gap-2 rounded-lg border border-warning/40 bg-highlight px-3 py-2 text-sm"
    >
      <p className="[overflow-wrap:anywhere]">
        {updated_by === null ? (
          <>
            <bdi className="font-medium">{showHidden(name)}</bdi> already exists.
          </>
        ) : (
          <>
            <bdi className="font-medium">{showHidden(updated_by)}</bdi> saved version {version} of{" "}
            <bdi>{showHidden(name)}</bdi> <TimeText at={updated_at} />
            {retired && ", and retired it"}. Yours was not saved.
          </>
        )}
      </p>
      {/* A scrollable element must be focusable, so that it can be scrolled with the keyboard. */}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the reason above.
        tabIndex={0}
        aria-label={`Version ${version}`}
        dir="auto"
        className="max-h-40 overflow-y-auto rounded-md border bg-background px-2.5 py-1.5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {showHidden(prompt)}
      </section>
      <div>
        <Button type="button" variant="outline" size="sm" onClick={onTake}>
          Take theirs
        </Button>
      </div>
    </div>
  );
}
