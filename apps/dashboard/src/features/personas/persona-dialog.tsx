"use client";

import { MerkleError, type OutputOf, type Persona } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { type Call, useCall } from "@/broker/use-call";
import { FormDialog } from "@/components/form-dialog";
import { TimeText } from "@/components/time-text";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";

export interface PersonaDialogProps {
  /** The persona as it was when editing began. Null for a new persona. */
  readonly persona: Persona | null;
  readonly onClose: () => void;
}

/** Edits a persona. If someone else saved another version, the dialog shows that version before it can be replaced. */
export function PersonaDialog({ persona, onClose }: PersonaDialogProps) {
  const call = useCall();
  const [name, setName] = useState(persona?.name ?? "");
  const [prompt, setPrompt] = useState(persona?.prompt ?? "");
  const [base, setBase] = useState(persona);
  const [theirs, setTheirs] = useState<Persona | null>(null);
  const bytes = new TextEncoder().encode(prompt).length;

  async function save(signal: AbortSignal): Promise<boolean> {
    // The user has seen the other version, so saving replaces it.
    const current = theirs ?? base;
    const draft = { name, prompt, retired: current?.retired ?? false, baseVersion: current?.version ?? 0 };
    const outcome = await savePersona(call, draft, signal);
    setTheirs(outcome.theirs);
    return outcome.theirs === null;
  }

  return (
    <FormDialog
      className="sm:max-w-2xl"
      title={persona ? <>Edit {<bdi>{persona.name}</bdi>}</> : "New persona"}
      description={
        persona
          ? "Existing perspectives are kept and marked as stale."
          : "A named reader with instructions. Anyone can have an agent read as this persona."
      }
      submit={theirs ? `Save over version ${theirs.version}` : "Save"}
      submitting="Saving…"
      isReady={name.trim() !== "" && prompt.trim() !== "" && bytes <= limits.personaPromptBytesMax}
      isDraftSaved
      onSubmit={save}
      onClose={onClose}
    >
      {persona === null && (
        <Field>
          <FieldLabel>Name</FieldLabel>
          <Input
            required
            autoFocus
            dir="auto"
            maxLength={limits.nameCharsMax}
            value={name}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
      <Field>
        <FieldLabel>Instructions</FieldLabel>
        <Textarea
          required
          rows={14}
          className="max-h-[50vh]"
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
        />
        <FieldDescription>
          What to look for, what to ignore, and what to write.{" "}
          <span
            className={bytes > limits.personaPromptBytesMax ? "text-danger tabular-nums" : "tabular-nums"}
          >
            {bytes.toLocaleString("en-GB")} of 8,192 bytes
          </span>
        </FieldDescription>
      </Field>
      {theirs && (
        <PersonaConflict
          theirs={theirs}
          onTake={() => {
            setPrompt(theirs.prompt);
            setBase(theirs);
            setTheirs(null);
          }}
        />
      )}
    </FormDialog>
  );
}

interface PersonaDraft {
  readonly name: string;
  readonly prompt: string;
  readonly retired: boolean;
  readonly baseVersion: number;
}

/**
 * Saves a persona. If someone else saved in the meantime, writes nothing and returns their version.
 *
 * @throws MerkleError for any other refusal
 */
async function savePersona(
  call: Call,
  { baseVersion, ...persona }: PersonaDraft,
  signal: AbortSignal,
): Promise<{ readonly theirs: Persona | null }> {
  try {
    await call("put_persona", { ...persona, expected_version: baseVersion }, { signal });
    return { theirs: null };
  } catch (error) {
    if (!(error instanceof MerkleError) || error.code !== "conflict") throw error;
    const theirs = await findCurrent(call, persona.name, error);
    return { theirs };
  }
}

/** A conflict can also mean that there are too many personas. Then no persona has this name, and the original error is thrown. */
async function findCurrent(
  call: Call,
  name: string,
  conflict: MerkleError,
): Promise<OutputOf<"get_persona">> {
  try {
    return await call("get_persona", { name });
  } catch {
    throw conflict;
  }
}

interface PersonaConflictProps {
  readonly theirs: Persona;
  readonly onTake: () => void;
}

/** The version that someone else saved in the meantime. The user can adopt or deliberately replace it. */
function PersonaConflict({ theirs, onTake }: PersonaConflictProps) {
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
