"use client";

import { MerkleError, type OutputOf, type Persona } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type FormEvent, useState } from "react";
import { useAction } from "@/broker/use-action";
import { type Call, useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/ui/dialog";
import { Field, FieldDescription, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";
import { PersonaConflict } from "./persona-conflict";

export interface PersonaDialogProps {
  /** The one that is edited, as it was when that began; null for a new one. */
  readonly persona: Persona | null;
  readonly onClose: () => void;
}

/** Writes a persona. What somebody else saved meanwhile is shown beside one's own, and never overwritten unseen. */
export function PersonaDialog({ persona, onClose }: PersonaDialogProps) {
  const call = useCall();
  const { run, pending, refusal } = useAction();
  const [name, setName] = useState(persona?.name ?? "");
  const [prompt, setPrompt] = useState(persona?.prompt ?? "");
  const [base, setBase] = useState(persona);
  const [theirs, setTheirs] = useState<Persona | null>(null);
  const bytes = new TextEncoder().encode(prompt).length;

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    // Saving with the other version in sight replaces that one.
    const replaced = theirs ?? base;
    const draft = { name, prompt, retired: replaced?.retired ?? false, baseVersion: replaced?.version ?? 0 };
    await run(async (signal) => {
      const saved = await savePersona(call, draft, signal);
      if (saved.theirs === null) onClose();
      else setTheirs(saved.theirs);
    });
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-2xl">
        <form className="grid min-w-0 gap-4" onSubmit={(event) => void save(event)}>
          <DialogHeader>
            <DialogTitle>{persona ? <>Edit {<bdi>{persona.name}</bdi>}</> : "New persona"}</DialogTitle>
            <DialogDescription>
              {persona
                ? "Existing perspectives are kept and marked as stale."
                : "A named reader with instructions. Anyone can have an agent read as this persona."}
            </DialogDescription>
          </DialogHeader>
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
          <RefusalNote refusal={refusal} isKept />
          <DialogFooter>
            <Button type="button" variant="outline" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              disabled={
                pending || name.trim() === "" || prompt.trim() === "" || bytes > limits.personaPromptBytesMax
              }
            >
              {pending ? "Saving…" : theirs ? `Save over version ${theirs.version}` : "Save"}
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}

interface PersonaDraft {
  readonly name: string;
  readonly prompt: string;
  readonly retired: boolean;
  readonly baseVersion: number;
}

/**
 * Writes a persona. Where another version came in between, nothing is written, and that version comes back.
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

/** Too many personas is a conflict, too, and then there is none of that name. */
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
