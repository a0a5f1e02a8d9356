"use client";

import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { useKeptText } from "@/sessions/use-kept-text";
import { Button } from "@/ui/button";
import { CommentField, isTooLong } from "./comment-field";

/** A form to reply to a topic, to close it, or both. */
export function TopicReply({ topicId }: { readonly topicId: number }) {
  const call = useCall();
  const [text, setText, forget] = useKeptText(`merkle.reply.${topicId}`, "");
  const { run, pending, refusal } = useAction();
  const hasText = text.trim() !== "";

  function send(close?: "resolved"): void {
    if (isTooLong(text) || (!hasText && close === undefined)) return;
    void run(async (signal) => {
      await call(
        "reply_to_topic",
        { topic_id: topicId, ...(hasText && { text: text.trim() }), ...(close && { close }) },
        { signal },
      );
      setText("");
      forget();
    });
  }

  return (
    <form
      aria-label="Reply"
      className="grid min-w-0 gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <CommentField label="Your reply" value={text} onChange={setText} onSend={send} />
      <RefusalNote refusal={refusal} isKept />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" size="sm" disabled={pending || !hasText || isTooLong(text)}>
          Reply
        </Button>
        <Button type="button" variant="outline" size="sm" disabled={pending} onClick={() => send("resolved")}>
          {hasText ? "Reply and resolve" : "Resolve"}
        </Button>
      </div>
    </form>
  );
}
