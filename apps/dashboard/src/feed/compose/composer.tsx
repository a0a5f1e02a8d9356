"use client";

import { limits } from "@merkle/wire/limits";
import { Send } from "lucide-react";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { useAction } from "@/broker/use-action";
import { useConnectionState } from "@/broker/use-connection-state";
import { RefusalNote } from "@/components/refusal-note";
import { setQuery } from "@/core/address/address";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import type { DraftUploads } from "@/parts/feature";
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { useComposeState, useDraft } from "./compose-context";
import { ComposerChips } from "./composer-chips";
import { ComposerField } from "./composer-field";
import { ComposerOptions } from "./composer-options";
import { findDefaultRecipient, findProblem, type MessageDraft, toPostInput } from "./draft";
import { listOfflineNames, listRecipients, type Recipient } from "./recipients";

const ComposerNotes = lazyPart(() => import("./composer-notes"), "ComposerNotes");
const OptionsEditor = lazyPart(() => import("./options-editor"), "OptionsEditor");
const QuotedBar = lazyPart(() => import("./quoted-bar"), "QuotedBar");

/** The form for posting to the session: one line that grows with its text. The draft is kept until the broker accepts the message. */
export function Composer() {
  const { session, participants, peers, myTeamId, at, refresh } = useSession();
  const { focus, post } = useComposeState();
  const { draft, store } = useDraft();
  const { run, isPending, refusal, reset } = useAction();
  const [problem, setProblem] = useState<string | null>(null);
  const [statusText, setStatusText] = useState("");
  const isConnected = useConnectionState().status === "open";
  const recipients = useMemo(
    () => listRecipients({ participants, peers, myTeamId }),
    [participants, peers, myTeamId],
  );
  const recipient = findOnlyRecipient(draft, recipients);
  const form = useRef<HTMLFormElement>(null);
  const [fileSlot, setFileSlot] = useState<HTMLElement | null>(null);
  const uploads = useRef<DraftUploads>(null);
  useShortcut("c", focus, { label: "Write a message", group: "Session" });

  async function send(): Promise<void> {
    const running = uploads.current;
    const draftProblem =
      running?.problem ?? (running?.isRunning ? null : findProblem(draft, limits.messageTextBytesMax));
    setProblem(draftProblem);
    setStatusText("");
    if (draftProblem !== null) return focus();
    await run(async (signal) => {
      await running?.settle();
      const sentDraft = store.current;
      const input = toPostInput(sentDraft, session.session_id);
      const idempotency_key = store.getIdempotencyKey(input);
      const { cursor } = await post({ ...input, idempotency_key }, { recipient, signal });
      const { files } = store.current;
      if (store.current === sentDraft) store.clear();
      // A quote, recipient or file added while the message was being sent belongs to the next draft.
      else
        store.change({
          text: "",
          kind: "message",
          options: [],
          files: files.filter((file) => !sentDraft.files.includes(file)),
        });
      setStatusText(`Posted as #${cursor}.`);
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
      ref={form}
      aria-label="Write a message"
      onSubmit={submit}
      className="shrink-0 border-t bg-background px-3 pt-2 pb-2 lg:pl-6"
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
        <ComposerChips
          draft={draft}
          defaultTo={findDefaultRecipient(draft, recipients)}
          onChange={(change) => {
            store.change(change);
            focus();
          }}
        />
        <div ref={setFileSlot} className="grid gap-1 empty:hidden" />
        <div className="flex items-end gap-2">
          {/* As wide as the button that will load, so that the field does not move. */}
          <div className="min-w-8 pointer-coarse:min-w-11">
            <Parts select={({ files }) => files?.OfComposer} given={{ form, slot: fileSlot, uploads }} />
          </div>
          <ComposerOptions draft={draft} onChange={(change) => store.change(change)} />
          <ComposerField
            draft={draft}
            recipients={recipients}
            isSending={isPending}
            onChange={(change) => {
              store.change(change);
              setProblem(null);
            }}
            onSend={() => void send()}
          />
          <Button type="submit" disabled={isPending} className="h-8.5">
            <Send aria-hidden />
            <span className="max-md:sr-only">{isPending ? "Sending…" : "Send"}</span>
          </Button>
        </div>
        {draft.kind === "ask" && !quoted?.answers && (
          <OptionsEditor options={draft.options} onChange={(options) => store.change({ options })} />
        )}
        <ComposerNotes
          text={draft.text}
          problem={problem}
          offlineNames={listOfflineNames(draft.to, recipients)}
          recipient={recipient}
          isWaiting={isPending && !isConnected}
          onGiveUp={reset}
        />
        <RefusalNote refusal={refusal} />
        <p role="status" className="sr-only">
          {statusText}
        </p>
      </div>
    </form>
  );
}

/** Returns the draft's recipient, or null if there are several. */
function findOnlyRecipient(draft: MessageDraft, recipients: readonly Recipient[]): string | null {
  const [recipient = findDefaultRecipient(draft, recipients), another] = draft.to;
  return another === undefined ? recipient : null;
}
