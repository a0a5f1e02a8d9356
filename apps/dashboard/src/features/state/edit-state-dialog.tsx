"use client";

import type { StateEntry } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { diffLines } from "diff";
import { useState } from "react";
import { FormDialog } from "@/components/form-dialog";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";
import { Field, FieldDescription, FieldError, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Textarea } from "@/ui/textarea";
import { formatJson, parseInput } from "./json-text";
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
  const [problem, setProblem] = useState("");
  const target = { ...address, key: key.trim() };
  const { theirs, change } = useStateChange(target);

  const parsed = parseInput(text);
  const base = theirs ?? entry;
  const before = base === null || base.deleted ? "" : formatJson(base.value);
  const after = parsed.problem === null ? formatJson(parsed.value) : "";

  /** Resolves with true if the value was set. The first submit only shows the change. */
  async function submit(signal: AbortSignal): Promise<boolean> {
    if (target.key === "" || parsed.problem !== null) {
      setProblem(target.key === "" ? "Enter a key." : (parsed.problem ?? ""));
      return false;
    }
    if (isReviewed) return save(parsed.value, signal);
    setIsReviewed(true);
    return false;
  }

  function save(value: unknown, signal: AbortSignal): Promise<boolean> {
    const { sessionId: session_id, scope } = target;
    const input = { session_id, scope, key: target.key, value, expected_version: base?.version ?? 0 };
    return change((call) => call("set_state", input, { signal }), signal);
  }

  return (
    <FormDialog
      className="sm:max-w-2xl"
      title={
        address.key === null ? (
          "New key"
        ) : (
          <>
            Edit <bdi className="font-mono">{address.key}</bdi>
          </>
        )
      }
      description={describeStep({ isReviewed, theirs, entry, key: target.key })}
      submit={isReviewed ? (theirs === null ? "Set value" : "Overwrite") : "Review change"}
      submitting="Saving…"
      cancel={theirs === null ? "Cancel" : "Keep theirs"}
      actions={
        isReviewed && (
          <Button type="button" variant="outline" onClick={() => setIsReviewed(false)}>
            Back to editing
          </Button>
        )
      }
      isReady={!isReviewed || before !== after}
      onSubmit={submit}
      onDone={onSaved}
      onClose={onClose}
    >
      {isReviewed ? (
        before === after ? (
          <p>The key already has this value.</p>
        ) : (
          <LineDiff before={before} after={after} label="Changes" />
        )
      ) : (
        <>
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
              aria-invalid={problem !== ""}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setProblem("");
              }}
            />
            <FieldDescription>
              {parsed.problem === null && parsed.as === "text"
                ? "Not JSON, so it’s stored as text."
                : "JSON, or plain text."}
            </FieldDescription>
          </Field>
          <FieldError>{problem}</FieldError>
        </>
      )}
    </FormDialog>
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
    const actionText = theirs.deleted
      ? "deleted this key"
      : entry === null
        ? "already set this key"
        : "changed this key";
    return `${theirs.updatedBy} ${actionText} (v${theirs.version}) while you were editing. Saving yours replaces the value below.`;
  }
  if (!isReviewed) return "Everyone in the session can read it, and agents watching the key are notified.";
  return entry === null || entry.deleted
    ? `This sets ${key}.`
    : `This replaces v${entry.version}, by ${entry.updatedBy}.`;
}

interface LineDiffProps {
  readonly before: string;
  readonly after: string;
  /** Names the old and the new value for screen readers. */
  readonly label: string;
}

const signs = { added: "+", removed: "−", same: " " } as const;

/** A line-by-line diff of two strings. */
function LineDiff({ before, after, label }: LineDiffProps) {
  const lines = toLines(before, after);
  return (
    <figure aria-label={label} className="max-h-80 overflow-auto rounded-md border bg-surface">
      <pre className="min-w-fit py-1 font-mono text-xs leading-5">
        {lines.map(({ kind, text }, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison never move.
            key={index}
            className={cn("flex px-2", kind === "added" && "bg-added", kind === "removed" && "bg-removed")}
          >
            <span className="w-4 shrink-0 select-none" aria-hidden>
              {signs[kind]}
            </span>
            <span className="sr-only">{kind === "same" ? "" : `${kind}: `}</span>
            <span className="[overflow-wrap:anywhere] whitespace-pre-wrap">{text}</span>
          </div>
        ))}
      </pre>
    </figure>
  );
}

function toLines(before: string, after: string): { kind: keyof typeof signs; text: string }[] {
  return diffLines(ensureNewlineAtEnd(before), ensureNewlineAtEnd(after)).flatMap(
    ({ value, added, removed }) =>
      value
        .slice(0, -1)
        .split("\n")
        .map((text) => ({ kind: added ? "added" : removed ? "removed" : "same", text }) as const),
  );
}

/** Adds a line break at the end of the text, so that its last line compares equal. An empty string has no lines. */
function ensureNewlineAtEnd(text: string): string {
  return text === "" ? "" : `${text}\n`;
}
