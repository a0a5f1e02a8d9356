"use client";

import { limits } from "@merkle/wire/limits";
import { Send } from "lucide-react";
import { type FormEvent, useMemo, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useConnectionState } from "@/broker/use-connection-state";
import { RefusalNote } from "@/components/refusal-note";
import { setQuery } from "@/core/address/address";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Select } from "@/ui/select";
import { useComposePlace, useDraft } from "./compose-context";
import { ComposerField } from "./composer-field";
import { ComposerNotes } from "./composer-notes";
import { type Draft, type DraftKind, type DraftPriority, findProblem, toPostInput } from "./draft";
import { RecipientPicker } from "./recipient-picker";
import { listAway, listRecipients, type Recipient } from "./recipients";

const OptionsEditor = lazyPart(() => import("./options-editor"), "OptionsEditor");
const QuotedBar = lazyPart(() => import("./quoted-bar"), "QuotedBar");

/** The form for posting to the session. The draft is kept until the broker accepts the message. */
export function Composer() {
  const { session, participants, peers, myTeamId, at, refresh } = useSession();
  const { focus, post } = useComposePlace();
  const { draft, store } = useDraft();
  const { run, pending, refusal, reset } = useAction();
  const [problem, setProblem] = useState<string | null>(null);
  const [told, setTold] = useState("");
  const connected = useConnectionState().status === "open";
  const recipients = useMemo(
    () => listRecipients({ participants, peers, myTeamId }),
    [participants, peers, myTeamId],
  );
  useShortcut("c", focus, { label: "Write a message", group: "Session" });

  async function send(): Promise<void> {
    const wrong = findProblem(draft, limits.messageTextBytesMax);
    setProblem(wrong);
    setTold("");
    if (wrong !== null) return focus();
    const input = toPostInput(draft, session.session_id);
    const idempotency_key = store.keyFor(input);
    const sent = store.current;
    await run(async (signal) => {
      const { cursor } = await post({ ...input, idempotency_key }, { signal });
      if (store.current === sent) store.clear();
      // A quote or recipient added while the message was being sent belongs to the next draft.
      else store.change({ text: "", kind: "message", options: [] });
      setTold(`Posted as #${cursor}.`);
      // A view of a past moment cannot show the new message, so return to the present.
      if (at !== null) setQuery({ at: null });
      if (myTeamId === null) refresh();
    });
    focus();
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void send();
  }

  const { quoted } = draft;
  return (
    <form
      aria-label="Write a message"
      onSubmit={submit}
      className="group/composer shrink-0 border-t bg-background px-3 pt-2 pb-2 lg:pl-6"
    >
      <div className="mx-auto grid w-full max-w-240 gap-2">
        {quoted !== null && (
          <QuotedBar
            quoted={quoted}
            onOption={(option) => {
              store.change({ text: option });
              focus();
            }}
            onReplyOnly={() => {
              store.change({ quoted: { ...quoted, answers: false } });
              focus();
            }}
            onRemove={() => store.change({ quoted: null })}
          />
        )}
        <ComposerChoices draft={draft} recipients={recipients} onChange={(change) => store.change(change)} />
        <div className="flex items-end gap-2">
          <ComposerField
            draft={draft}
            recipients={recipients}
            isSending={pending}
            onChange={(change) => {
              store.change(change);
              setProblem(null);
            }}
            onSend={() => void send()}
          />
          <Button type="submit" disabled={pending} className="h-8.5">
            <Send aria-hidden />
            <span className="max-md:sr-only">{pending ? "Sending…" : "Send"}</span>
          </Button>
        </div>
        {draft.kind === "ask" && !quoted?.answers && (
          <OptionsEditor options={draft.options} onChange={(options) => store.change({ options })} />
        )}
        <ComposerNotes
          text={draft.text}
          problem={problem}
          away={listAway(draft.to, recipients)}
          isWaiting={pending && !connected}
          onGiveUp={reset}
        />
        <RefusalNote refusal={refusal} />
        <p role="status" className="sr-only">
          {told}
        </p>
      </div>
    </form>
  );
}

interface ComposerChoicesProps {
  readonly draft: Draft;
  readonly recipients: readonly Recipient[];
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The draft's recipients, message kind and priority. */
function ComposerChoices({ draft, recipients, onChange }: ComposerChoicesProps) {
  const answers = draft.quoted?.answers === true;
  return (
    // On a phone the choices take space from the feed. They appear only while the composer has focus, or once the user has
    // changed one.
    <div
      className={cn(
        "flex flex-wrap items-center gap-2",
        isUnchosen(draft) && "max-md:hidden max-md:group-focus-within/composer:flex",
      )}
    >
      <RecipientPicker recipients={recipients} to={draft.to} onChange={(to) => onChange({ to })} />
      {!answers && (
        <Select
          aria-label="Kind of message"
          className="h-7 text-sm font-medium"
          value={draft.kind}
          onChange={(kind) => onChange({ kind })}
          options={kinds}
        />
      )}
      <Select
        aria-label="Priority"
        className="h-7 text-sm font-medium"
        value={draft.priority}
        title="Urgent messages get through “do not disturb”. Low-priority messages wake no one."
        onChange={(priority) => onChange({ priority })}
        options={priorities}
      />
    </div>
  );
}

function isUnchosen({ to, kind, priority }: Draft): boolean {
  return to.length === 0 && kind === "message" && priority === "next";
}

const kinds: readonly (readonly [DraftKind, string])[] = [
  ["message", "Message"],
  ["ask", "Ask"],
  ["decision", "Decision"],
];
const priorities: readonly (readonly [DraftPriority, string])[] = [
  ["next", "Normal"],
  ["now", "Urgent"],
  ["low", "Low"],
];
