"use client";

import { limits } from "@merkle/wire/limits";
import {
  type AgentQuestion,
  describeAnswerProblem,
  type QuestionAnswer,
  type QuestionOption,
  showInvisible,
} from "@merkle/wire/text";
import { useState } from "react";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import type { Answering } from "./use-answer";

interface QuestionFormProps {
  readonly questions: readonly AgentQuestion[];
  readonly answering: Answering;
}

/** An agent's questions with their options as buttons. An option of a single question answers immediately. */
export function QuestionForm({ questions, answering: { answer, canAnswer, isPending } }: QuestionFormProps) {
  const [answers, setAnswers] = useState<readonly QuestionAnswer[]>(() =>
    questions.map(() => ({ options: [] })),
  );
  const isImmediate = questions.length === 1 && questions[0]?.isMultiSelect === false;
  const send = (given: readonly QuestionAnswer[]) => answer({ decision: "allow", answers: [...given] });
  const replace = (index: number, given: QuestionAnswer) =>
    answers.map((each, at) => (at === index ? given : each));

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        send(answers);
      }}
    >
      {questions.map((question, index) => (
        <Question
          key={question.question}
          question={question}
          answer={answers[index] ?? { options: [] }}
          isDisabled={isPending || !canAnswer}
          onAnswer={(given) => setAnswers(replace(index, given))}
          {...(isImmediate && { onChoose: (label: string) => send([{ options: [label] }]) })}
        />
      ))}
      {canAnswer === false && (
        <p className="text-sm text-muted-foreground">
          This agent takes answers only from devices that were named when it was launched (Settings, “Your own
          words”). Answer in its terminal.
        </p>
      )}
      {!isImmediate && (
        <Button
          type="submit"
          disabled={isPending || !canAnswer || describeAnswerProblem(questions, answers) !== null}
          className="self-start"
        >
          {questions.length > 1 ? "Send answers" : "Send answer"}
        </Button>
      )}
    </form>
  );
}

interface QuestionProps {
  readonly question: AgentQuestion;
  readonly answer: QuestionAnswer;
  readonly isDisabled: boolean;
  readonly onAnswer: (answer: QuestionAnswer) => void;
  /** Called instead of `onAnswer` if a click on an option is the whole answer. */
  readonly onChoose?: (label: string) => void;
}

function Question({ question, answer, isDisabled, onAnswer, onChoose }: QuestionProps) {
  const { isMultiSelect } = question;

  function choose(label: string): void {
    if (onChoose) return onChoose(label);
    if (!isMultiSelect) return onAnswer({ options: [label] });
    const others = answer.options.filter((each) => each !== label);
    onAnswer({ ...answer, options: others.length < answer.options.length ? others : [...others, label] });
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-2" disabled={isDisabled}>
      <legend dir="auto" className="mb-2 font-medium [overflow-wrap:anywhere] whitespace-pre-wrap">
        {showInvisible(question.question)}
        {isMultiSelect && <span className="text-sm font-normal text-muted-foreground"> Choose any.</span>}
      </legend>
      {question.options.map((option) => (
        <OptionButton
          key={option.label}
          option={option}
          isChosen={onChoose ? undefined : answer.options.includes(option.label)}
          onClick={() => choose(option.label)}
        />
      ))}
      <div className="flex gap-2">
        <Input
          aria-label={`Your own answer to ${question.question}`}
          placeholder="Or in your own words…"
          dir="auto"
          maxLength={limits.reasonCharsMax}
          value={answer.text ?? ""}
          onChange={({ target: { value } }) => {
            const options = isMultiSelect ? answer.options : [];
            onAnswer(value.trim() === "" ? { options } : { options, text: value });
          }}
        />
        {onChoose && (
          <Button type="submit" variant="outline" disabled={answer.text === undefined}>
            Send
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface OptionButtonProps {
  readonly option: QuestionOption;
  readonly isChosen: boolean | undefined;
  readonly onClick: () => void;
}

function OptionButton({ option: { label, description, preview }, isChosen, onClick }: OptionButtonProps) {
  return (
    <Button
      variant="outline"
      aria-pressed={isChosen}
      onClick={onClick}
      type="button"
      className={cn(
        "h-auto min-w-0 flex-col items-start gap-0.5 py-1.5 text-start whitespace-normal",
        isChosen && "border-foreground bg-raised",
      )}
    >
      <span dir="auto" className="[overflow-wrap:anywhere]">
        {showInvisible(label)}
      </span>
      {description !== "" && (
        <span dir="auto" className="text-sm font-normal text-muted-foreground [overflow-wrap:anywhere]">
          {showInvisible(description)}
        </span>
      )}
      {preview !== null && (
        <span className="mt-1 max-w-full self-stretch rounded-md border bg-surface px-2 py-1 font-mono text-xs font-normal [overflow-wrap:anywhere] whitespace-pre-wrap">
          {showInvisible(preview)}
        </span>
      )}
    </Button>
  );
}
