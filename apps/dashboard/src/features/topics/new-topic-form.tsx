"use client";

import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { type Revision, toInput, toSourceKey } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import { useKeptText } from "@/sessions/use-kept-text";
import type { SourceQuote } from "@/text/anchors/quote";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Field, FieldError } from "@/ui/field";
import { CommentField, isTooLong } from "./comment-field";
import { QuoteText } from "./quote-text";
import { showTopic } from "./topic-param";

export interface NewTopicFormProps {
  /** The revision of the text that is commented on. */
  readonly revision: Revision;
  /** The commented passage. Null for the whole text. */
  readonly quote: SourceQuote | null;
  /** Whether the passage is larger than the selection, because part of the selected text maps to the source only as a whole. */
  readonly isWidened?: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

/** A form that opens a topic. The browser stores the draft until it is sent. */
export function NewTopicForm({ revision, quote, isWidened, onDone, onCancel }: NewTopicFormProps) {
  const { source } = useSource();
  const call = useCall();
  const [text, setText, forget] = useKeptText(`merkle.comment.${toSourceKey(source)}`, "");
  const [isForAgent, setForAgent] = useState(false);
  const { run, isPending, refusal } = useAction();
  const isQuoteTooLong = quote !== null && quote.quote.length > limits.quoteCharsMax;
  const canSend = text.trim() !== "" && !isTooLong(text) && !isQuoteTooLong;

  async function send(): Promise<void> {
    if (!canSend) return;
    await run(async (signal) => {
      const read = typeof revision === "number" ? { version: revision } : { source_sha: revision };
      const topic = await call(
        "open_topic",
        { ...toInput(source), ...read, ...quote, text: text.trim() },
        { signal },
      );
      forget();
      // If the broker refuses the job, the topic's thread offers to start it again.
      if (isForAgent) {
        const input = { kind: "incorporate", ...toInput(source), topic_id: topic.topic_id } as const;
        await call("start_job", input).catch(() => undefined);
      }
      onDone();
      showTopic(topic.topic_id);
    });
  }

  return (
    <form
      aria-label="Comment"
      className="grid min-w-0 gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {quote ? (
        <QuoteText text={quote.quote} />
      ) : (
        <p className="text-sm text-muted-foreground">On the whole {source.kind}</p>
      )}
      {isWidened === true && (
        <p role="note" className="text-sm text-muted-foreground">
          Part of this selection cannot be located in the source, so the whole quote is used.
        </p>
      )}
      {isQuoteTooLong && (
        <FieldError>
          A comment can quote up to {limits.quoteCharsMax} characters; you selected {quote.quote.length}.
          Select less or comment on the whole {source.kind}.
        </FieldError>
      )}
      <CommentField
        autoFocus
        label="Your comment"
        value={text}
        onChange={setText}
        onSend={() => void send()}
      />
      <Field className="flex min-h-6 items-center gap-2 text-sm pointer-coarse:min-h-11">
        <Checkbox checked={isForAgent} onChange={(event) => setForAgent(event.target.checked)} />
        Send to the agent, to propose a change
      </Field>
      <RefusalNote refusal={refusal} isDraftSaved />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={isPending || !canSend}>
          {isPending ? "Commenting…" : "Comment"}
        </Button>
        <Button type="button" variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
