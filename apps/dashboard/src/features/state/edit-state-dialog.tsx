"use client";

import type { StateEntry } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type FormEvent, useState } from "react";
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
import { formatJson, parseTyped } from "./json-text";
import { LineDiff } from "./line-diff";
import type { StateAddress } from "./state-details";
import { useStateChange } from "./use-state-change";

export interface EditStateDialogProps {
  /** A null key means a new key, which the user names here. */
  readonly address: Omit<StateAddress, "key"> & { readonly key: string | null };
  /** The key's current entry. Null for a new key. */
  readonly entry: StateEntry | null;
  /** The initial value in the field. Default: the current value. */
  readonly proposed?: unknown;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Sets a key's value in two steps: the user types it, then reviews the difference. */
export function EditStateDialog(props: EditStateDialogProps) {
  const { address, entry, onClose, onSaved } = props;
  const [key, setKey] = useState(address.key ?? "");
  const [text, setText] = useState(() =>
    "proposed" in props ? formatJson(props.proposed) : formatJson(entry?.value),
  );
  const [isReviewed, setIsReviewed] = useState("proposed" in props);
  const [problem, setProblem] = useState<string | null>(null);
  const at = { ...address, key: key.trim() };
  const { theirs, pending, refusal, change, reset } = useStateChange(at);

  const typed = parseTyped(text);
  const base = theirs ?? entry;
  const before = base === null || base.deleted ? "" : formatJson(base.value);
  const after = typed.problem === null ? formatJson(typed.value) : "";

  function review(event: FormEvent): void {
    event.preventDefault();
    const wrong = at.key === "" ? "Enter a key." : typed.problem;
    setProblem(wrong);
    setIsReviewed(wrong === null);
  }

  async function save(): Promise<void> {
    if (typed.problem !== null) return;
    const saved = await change((call, signal) =>
      call(
        "set_state",
        {
          session_id: at.sessionId,
          scope: at.scope,
          key: at.key,
          value: typed.value,
          expected_version: base?.version ?? 0,
        },
        { signal },
      ),
    );
    if (!saved) return;
    onSaved();
    onClose();
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-2xl">
        <DialogHeader>
          <DialogTitle>
            {address.key === null ? (
              "New key"
            ) : (
              <>
                Edit <bdi className="font-mono">{address.key}</bdi>
              </>
            )}
          </DialogTitle>
          <DialogDescription>{describeStep({ isReviewed, theirs, entry, key: at.key })}</DialogDescription>
        </DialogHeader>
        {isReviewed ? (
          <div className="grid min-w-0 gap-4">
            {before === after ? (
              <p>The key already has this value.</p>
            ) : (
              <LineDiff before={before} after={after} label="Changes" />
            )}
            <RefusalNote refusal={refusal} />
            <DialogFooter>
              <Button
                variant="outline"
                onClick={() => {
                  reset();
                  setIsReviewed(false);
                }}
              >
                Back to editing
              </Button>
              {theirs !== null && (
                <Button variant="outline" onClick={onClose}>
                  Keep theirs
                </Button>
              )}
              <Button onClick={() => void save()} disabled={pending || before === after}>
                {theirs === null ? "Set value" : "Overwrite"}
              </Button>
            </DialogFooter>
          </div>
        ) : (
          <form className="grid min-w-0 gap-4" onSubmit={review} noValidate>
            {address.key === null && (
              <Field>
                <FieldLabel>Key</FieldLabel>
                <Input
                  dir="auto"
                  className="font-mono"
                  maxLength={limits.stateKeyCharsMax}
                  placeholder="deploy_frozen"
                  value={key}
                  onChange={(event) => setKey(event.target.value)}
                />
              </Field>
            )}
            <Field>
              <FieldLabel>Value</FieldLabel>
              <Textarea
                className="max-h-[50dvh] min-h-32 font-mono text-sm"
                spellCheck={false}
                aria-invalid={problem !== null}
                value={text}
                onChange={(event) => {
                  setText(event.target.value);
                  setProblem(null);
                }}
              />
              <FieldDescription>
                {typed.problem === null && typed.as === "text"
                  ? "Not JSON, so it’s stored as text."
                  : "JSON, or plain text."}
              </FieldDescription>
            </Field>
            {problem && (
              <p role="alert" className="text-sm text-danger">
                {problem}
              </p>
            )}
            <DialogFooter>
              <Button type="button" variant="outline" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit">Review change</Button>
            </DialogFooter>
          </form>
        )}
      </DialogContent>
    </Dialog>
  );
}

function describeStep({
  isReviewed,
  theirs,
  entry,
  key,
}: {
  isReviewed: boolean;
  theirs: StateEntry | null;
  entry: StateEntry | null;
  key: string;
}): string {
  if (theirs !== null) {
    const what = theirs.deleted
      ? "deleted this key"
      : entry === null
        ? "already set this key"
        : "changed this key";
    return `${theirs.updatedBy} ${what} (v${theirs.version}) while you were editing. Saving yours replaces the value below.`;
  }
  if (!isReviewed) return "Everyone in the session can read it, and agents watching the key are notified.";
  return entry === null || entry.deleted
    ? `This sets ${key}.`
    : `This replaces v${entry.version}, by ${entry.updatedBy}.`;
}
