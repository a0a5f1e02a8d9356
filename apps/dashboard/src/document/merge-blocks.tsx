"use client";

import type { ConflictBlock, MergeBlock, SettledBlock } from "@merkle/wire/document";
import { Fragment, useId } from "react";
import { cn } from "@/core/utils";
import type { ConflictChoice } from "@/text/diff/resolve-merge";
import { showHidden } from "@/text/markdown/hidden-characters";

export interface MergeBlocksProps {
  readonly blocks: readonly MergeBlock[];
  readonly choices: ReadonlyMap<number, ConflictChoice>;
  readonly theirName: string;
  readonly onChoose: (index: number, choice: ConflictChoice) => void;
}

/** The merged document, with a choice at each place that both sides changed. */
export function MergeBlocks({ blocks, choices, theirName, onChoose }: MergeBlocksProps) {
  let questions = 0;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto rounded-md border font-mono text-sm">
      {blocks.map((block, index) => {
        if (block.kind === "settled") {
          // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place in the merge.
          return <Settled key={index} block={block} theirName={theirName} isFirst={index === 0} />;
        }
        questions += 1;
        return (
          <Question
            // biome-ignore lint/suspicious/noArrayIndexKey: a block is its place in the merge.
            key={index}
            number={questions}
            block={block}
            choice={choices.get(index)}
            theirName={theirName}
            onChoose={(choice) => onChoose(index, choice)}
          />
        );
      })}
    </div>
  );
}

const contextLines = 2;

function Settled({
  block,
  theirName,
  isFirst,
}: {
  block: SettledBlock;
  theirName: string;
  isFirst: boolean;
}) {
  if (block.by === "nobody") return <Unchanged text={block.text} isFirst={isFirst} />;
  const author = { mine: "You", theirs: theirName, both: "Both of you" }[block.by];
  return (
    <div className="border-y bg-surface">
      <p className="px-3 pt-1 font-sans text-xs text-muted-foreground">
        <bdi>{author}</bdi> changed this
      </p>
      {block.base !== "" && <Lines text={block.base} className="bg-removed line-through decoration-1" />}
      {block.text !== "" && <Lines text={block.text} className="bg-added" />}
    </div>
  );
}

/** A long unchanged passage. Shows only the lines next to a change, and the number of hidden lines. */
function Unchanged({ text, isFirst }: { text: string; isFirst: boolean }) {
  const lines = text.replace(/\n$/, "").split("\n");
  const before = isFirst ? 0 : contextLines;
  const hidden = lines.length - before - contextLines;
  if (hidden < 3) return <Lines text={text} className="text-muted-foreground" />;
  return (
    <>
      {before > 0 && <Lines text={lines.slice(0, before).join("\n")} className="text-muted-foreground" />}
      <p className="px-3 py-1 font-sans text-xs text-muted-foreground">{hidden} unchanged lines</p>
      <Lines text={lines.slice(-contextLines).join("\n")} className="text-muted-foreground" />
    </>
  );
}

interface QuestionProps {
  readonly number: number;
  readonly block: ConflictBlock;
  readonly choice: ConflictChoice | undefined;
  readonly theirName: string;
  readonly onChoose: (choice: ConflictChoice) => void;
}

function Question({ number, block, choice, theirName, onChoose }: QuestionProps) {
  const name = useId();
  const answers: readonly { readonly choice: ConflictChoice; readonly label: string }[] = [
    { choice: "mine", label: "Take mine" },
    { choice: "theirs", label: "Take theirs" },
    { choice: "theirs-mine", label: "Both, theirs first" },
    { choice: "mine-theirs", label: "Both, mine first" },
  ];
  return (
    <fieldset
      className={cn("min-w-0 border-y-2 py-2", choice === undefined ? "border-warning" : "border-success")}
    >
      <legend className="sr-only">Conflict {number}</legend>
      <div className="grid @min-[40rem]:grid-cols-2">
        <Side title="Yours" text={block.mine} isTaken={choice?.includes("mine")} />
        <Side title={theirName} text={block.theirs} isTaken={choice?.includes("theirs")} />
      </div>
      {block.base !== "" && (
        <details className="px-3 py-1 font-sans text-xs text-muted-foreground">
          <summary className="min-h-6 cursor-pointer pointer-coarse:py-3.5">Original text</summary>
          <Lines text={block.base} className="rounded-md bg-surface font-mono text-sm" />
        </details>
      )}
      <div className="flex flex-wrap gap-x-4 gap-y-1 px-3 pt-1 font-sans">
        {answers.map((answer) => (
          <Fragment key={answer.choice}>
            <label className="flex min-h-6 items-center gap-1.5 pointer-coarse:min-h-11">
              <input
                type="radio"
                name={name}
                checked={choice === answer.choice}
                onChange={() => onChoose(answer.choice)}
                className="size-4 accent-primary"
              />
              {answer.label}
            </label>
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
}

function Side({ title, text, isTaken }: { title: string; text: string; isTaken: boolean | undefined }) {
  return (
    <div className={cn("min-w-0", isTaken === false && "opacity-60")}>
      <p className="px-3 font-sans text-xs font-medium">
        <bdi>{title}</bdi>
      </p>
      {text === "" ? (
        <p className="px-3 py-1 font-sans text-sm text-muted-foreground italic">removed</p>
      ) : (
        <Lines text={text} className="bg-added" />
      )}
    </div>
  );
}

function Lines({ text, className }: { text: string; className?: string }) {
  return (
    <pre dir="auto" className={cn("px-3 leading-5 break-words whitespace-pre-wrap", className)}>
      {showHidden(text.replace(/\n$/, ""))}
      {/* The space gives an empty line its height. */}
      {/^\n?$/.test(text) && " "}
    </pre>
  );
}
