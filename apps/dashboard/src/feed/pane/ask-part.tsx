"use client";

import { isRedacted, type Message } from "@merkle/wire";
import { Check } from "lucide-react";
import { useAction } from "@/broker/use-action";
import { useRead } from "@/broker/use-read";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { useCompose } from "@/feed/compose/compose-context";
import { readOptions } from "@/feed/store/message-text";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { MessageLink } from "./message-link";

export interface AskPartProps {
  readonly message: Message;
  /** The reply that settled the ask, if it is loaded. */
  readonly answer: Message | undefined;
  readonly isMine: boolean;
}

/** The options of an ask, as buttons until someone answers. The first answer counts. */
export function AskPart({ message, answer, isMine }: AskPartProps) {
  const { session, at, isObserver } = useSession();
  const { settledAsk, isUnanswered } = useAskState(message, answer);
  if (settledAsk) return <Settled {...settledAsk} />;
  if (isRedacted(message)) return null;
  const canAnswer = session.status !== "closed" && !isMine && at === null && !isObserver;
  return (
    <>
      {canAnswer ? <AnswerButtons message={message} /> : <Offered message={message} />}
      {isUnanswered && at === null && (
        <p className="mt-1 text-sm text-warning">
          Unanswered since <TimeText at={message.posted_at} as="clock" />
        </p>
      )}
    </>
  );
}

interface SettledAsk {
  readonly sequence: number;
  readonly by: string;
  /** Null if the answer's text was removed. */
  readonly answer: string | null;
}

interface AskState {
  readonly settledAsk: SettledAsk | null;
  readonly isUnanswered: boolean;
}

/**
 * Returns the state of an ask. If the answer is not loaded, requests it from the broker, and repeats the request after
 * each delivery event and each change of what needs a person.
 */
function useAskState(message: Message, answer: Message | undefined): AskState {
  const { session } = useSession();
  const statusInput =
    answer === undefined ? { session_id: session.session_id, message: message.sequence } : null;
  const { data } = useRead("message_status", statusInput, { on: ["delivery", "attention"] });
  if (answer !== undefined) {
    const { content, from, sequence } = answer;
    const settledAsk = { sequence, by: from?.team ?? "", answer: String(content["answer"]) };
    return { settledAsk, isUnanswered: false };
  }
  if (!data?.answered) return { settledAsk: null, isUnanswered: data?.unanswered ?? false };
  const { message: sequence, by, answer: answerText } = data.answered;
  return { settledAsk: { sequence, by, answer: answerText }, isUnanswered: false };
}

function Settled({ sequence, by, answer }: SettledAsk) {
  return (
    <p className="mt-1 flex flex-wrap items-baseline gap-x-1.5 text-sm">
      <Check aria-hidden className="size-3.5 self-center text-success" />
      <span className="text-muted-foreground">
        <bdi>{showHidden(by)}</bdi> answered
      </span>
      {answer !== null && <bdi className="line-clamp-3 font-medium break-words">{showHidden(answer)}</bdi>}
      <MessageLink sequence={sequence} className="text-link underline underline-offset-2">
        #{sequence}
      </MessageLink>
    </p>
  );
}

function Offered({ message }: { readonly message: Message }) {
  const options = readOptions(message);
  if (options.length === 0) return null;
  return (
    <ul aria-label="Answer options" className="mt-1.5 flex flex-wrap gap-1.5">
      {options.map((option) => (
        <li
          key={option}
          dir="auto"
          className="rounded-md border px-2 py-0.5 text-sm break-words text-muted-foreground"
        >
          {showHidden(option)}
        </li>
      ))}
    </ul>
  );
}

function AnswerButtons({ message }: { readonly message: Message }) {
  const { answer } = useCompose();
  const { run, isPending, refusal } = useAction();
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that repeats the question. */}
      <div
        role="group"
        aria-label={`Answers to message ${message.sequence}`}
        className="mt-1.5 flex flex-wrap gap-1.5"
      >
        {readOptions(message).map((option) => (
          <Button
            key={option}
            variant="outline"
            size="sm"
            disabled={isPending}
            className="h-auto min-h-7 max-w-full py-0.5 text-start whitespace-normal"
            onClick={() => void run(() => answer(message, option))}
          >
            <bdi className="min-w-0 break-words">{showHidden(option)}</bdi>
          </Button>
        ))}
        <Button variant="ghost" size="sm" disabled={isPending} onClick={() => void answer(message)}>
          {readOptions(message).length === 0 ? "Answer" : "Write an answer"}
        </Button>
      </div>
      <RefusalNote refusal={refusal} className="mt-1.5" />
    </>
  );
}
