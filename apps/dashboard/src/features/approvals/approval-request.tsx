"use client";

import type { Approval } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { formatApproval, parseQuestions, parseTurnEnd, planTool } from "@merkle/wire/text";
import { type ReactNode, useState } from "react";
import { RefusalNote } from "@/components/refusal-note";
import type { ActionNote } from "@/parts/feature";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { MarkedCommand } from "./marked-command";
import { Prose } from "./prose";
import { QuestionForm } from "./question-form";
import { TurnEnd } from "./turn-end";
import { type Answering, useAnswer } from "./use-answer";

export interface ApprovalRequestProps {
  readonly approval: Approval;
  /** Called after an answer, with what it did, and after a refusal, with null. */
  readonly onChanged: (note: ActionNote | null) => void;
}

/** Everything that an agent asks, and the possible answers. None of them outlives the agent's launch. */
export function ApprovalRequest({ approval, onChanged }: ApprovalRequestProps) {
  const answering = useAnswer(approval, onChanged);
  const turnEnd = parseTurnEnd(approval.tool, approval.input);
  if (turnEnd !== null) return <TurnEnd approval={approval} text={turnEnd} answering={answering} />;
  return <Request approval={approval} answering={answering} />;
}

interface RequestProps {
  readonly approval: Approval;
  readonly answering: Answering;
}

function Request({ approval, answering }: RequestProps) {
  const questions = parseQuestions(approval.tool, approval.input);
  const isPlan = approval.tool === planTool;
  return (
    <>
      {questions ? (
        <QuestionForm questions={questions} answering={answering} />
      ) : (
        <RequestText input={approval.input} isProse={isPlan} />
      )}
      <Decisions answering={answering} refuse={questions ? "Decline" : isPlan ? "Keep planning" : "Deny"}>
        {!questions && (
          <Button disabled={answering.isPending} onClick={() => answering.answer({ decision: "allow" })}>
            {isPlan ? "Approve plan" : "Allow once"}
          </Button>
        )}
        {approval.repeatable && (
          <Button
            variant="outline"
            disabled={answering.isPending}
            onClick={() => answering.answer({ decision: "allow", again: true })}
          >
            Allow for this launch
          </Button>
        )}
      </Decisions>
      {approval.repeatable && (
        <p className="text-sm text-muted-foreground">
          “Allow for this launch” also allows exactly this command, in this folder, until the agent ends. You
          can revoke it under Approvals.
        </p>
      )}
      <RefusalNote refusal={answering.refusal} />
    </>
  );
}

function RequestText({ input, isProse }: { readonly input: string; readonly isProse: boolean }) {
  const { text, why } = formatApproval(input);
  return (
    <>
      {isProse ? <Prose text={text} /> : <MarkedCommand text={text} />}
      {why !== null && (
        <p className="text-sm [overflow-wrap:anywhere]">
          <span className="text-muted-foreground">Agent’s reason: </span>
          <q dir="auto">{why}</q>
        </p>
      )}
    </>
  );
}

interface DecisionsProps {
  readonly answering: Answering;
  /** Label of the button that refuses the request. */
  readonly refuse: string;
  /** The button that allows the request. */
  readonly children: ReactNode;
}

function Decisions({ answering: { answer, isPending }, refuse, children }: DecisionsProps) {
  const [isDenying, setDenying] = useState(false);
  const [words, setWords] = useState("");
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {children}
        <Button
          variant="outline"
          disabled={isPending}
          aria-expanded={isDenying}
          onClick={() => setDenying(!isDenying)}
        >
          {refuse}…
        </Button>
        <Button variant="ghost" disabled={isPending} onClick={() => answer({ decision: "leave" })}>
          Answer in terminal
        </Button>
      </div>
      {isDenying && (
        <form
          className="flex flex-wrap gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            answer({ decision: "deny", ...(words.trim() !== "" && { words: words.trim() }) });
          }}
        >
          <Input
            ref={focusOnce}
            aria-label="Message to the agent (optional)"
            placeholder="Message to the agent (optional)"
            dir="auto"
            maxLength={limits.reasonCharsMax}
            value={words}
            onChange={({ target }) => setWords(target.value)}
            onKeyDown={(event) => event.key === "Escape" && setDenying(false)}
            className="min-w-0 flex-1 basis-64"
          />
          <Button type="submit" variant="outline" disabled={isPending}>
            {refuse}
          </Button>
        </form>
      )}
    </>
  );
}

/** Focuses a field that has just appeared. */
function focusOnce(field: HTMLInputElement | null): void {
  field?.focus();
}
