"use client";

import { type FormEvent, useId, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { SavedNote } from "@/components/saved-note";
import { Button } from "@/ui/button";
import { FieldError } from "@/ui/field";
import { Input } from "@/ui/input";
import { describeThreshold, parseThreshold, type Threshold } from "./threshold";

interface ThresholdFieldProps {
  /** Name of the setting. */
  readonly name: string;
  readonly threshold: Threshold;
  /** The value in use. */
  readonly value: number;
  readonly onSaved: () => void;
}

interface Change {
  readonly from: number;
  readonly to: number;
  readonly isUndo: boolean;
}

/** A setting of the broker. Enter, or leaving the field, saves it; the change can be undone. */
export function ThresholdField({ name, threshold, value, onSaved }: ThresholdFieldProps) {
  const call = useCall();
  const { run, isPending, refusal, reset } = useAction();
  // Null while the person has typed nothing new, so that a change by someone else is shown.
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [change, setChange] = useState<Change | null>(null);
  // The page reads the saved value a moment later.
  const shownValue = change?.from === value ? change.to : value;
  const id = useId();

  async function save(next: number, isUndo = false): Promise<void> {
    const isSaved = await run(
      async (signal) => void (await call("update_settings", { settings: { [name]: next } }, { signal })),
    );
    if (!isSaved) return;
    setTyped(null);
    setChange({ from: value, to: next, isUndo });
    onSaved();
  }

  function saveTyped(): void {
    if (typed === null || isPending) return;
    const next = parseThreshold(typed, threshold);
    if (typeof next === "string") return setProblem(next);
    if (next === shownValue) return setTyped(null);
    void save(next);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    saveTyped();
  }

  return (
    <form className="grid content-start gap-1" onSubmit={submit}>
      <label htmlFor={id} className="text-sm font-medium">
        {threshold.label}
      </label>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Input
          id={id}
          autoComplete="off"
          className="w-44"
          value={typed ?? describeThreshold(shownValue, threshold)}
          aria-invalid={problem !== null}
          aria-describedby={`${id}-about ${id}-problem`}
          onChange={(event) => {
            setTyped(event.target.value);
            setProblem(null);
            setChange(null);
            if (refusal !== null) reset();
          }}
          // A failed save is repeated only on request.
          onBlur={() => refusal === null && saveTyped()}
        />
        <SavedNote isShown={change !== null} />
        {change?.isUndo === false && (
          <Button variant="ghost" size="sm" disabled={isPending} onClick={() => void save(change.from, true)}>
            Undo<span className="sr-only"> change of {threshold.label}</span>
          </Button>
        )}
      </div>
      <FieldError id={`${id}-problem`}>{problem}</FieldError>
      <RefusalNote refusal={refusal} />
      {refusal !== null && (
        <Button type="submit" variant="outline" size="sm" className="w-fit" disabled={isPending}>
          Save again
        </Button>
      )}
      <p id={`${id}-about`} className="text-sm text-muted-foreground">
        {threshold.about}
      </p>
    </form>
  );
}
