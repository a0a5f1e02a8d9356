"use client";

import type { Topic } from "@merkle/wire";
import { type CSSProperties, useLayoutEffect, useRef, useState } from "react";
import { ProblemAlert } from "@/components/problem-alert";
import { LinkedTopic } from "./linked-topic";
import { TopicCard } from "./topic-card";
import { TopicList } from "./topic-list";
import { showTopic } from "./topic-param";
import type { TopicSheetProps } from "./topic-sheet";
import { usePageChanges } from "./use-page-changes";

export interface TopicWithRanges {
  readonly topic: Topic;
  readonly ranges: readonly Range[];
}

export interface TopicMarginProps extends Omit<TopicSheetProps, "placed"> {
  /** The topics next to their text, from top to bottom. */
  readonly placed: readonly TopicWithRanges[];
}

const noTops: ReadonlyMap<number, number> = new Map();

/** A column with the topics next to the text. Each card is as close to its passage as the others allow. */
export function TopicMargin({ placed, problem, refresh, ...list }: TopicMarginProps) {
  const { topics, shown, canWrite } = list;
  const column = useRef<HTMLElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const [tops, setTops] = useState(noTops);
  const [height, setHeight] = useState(0);
  const changes = usePageChanges(column);
  const placedIds = new Set(placed.map(({ topic }) => topic.topic_id));
  const hasOthers = topics.some(({ topic_id }) => !placedIds.has(topic_id));
  const isLinkedElsewhere = typeof shown === "number" && !topics.some(({ topic_id }) => topic_id === shown);
  const isEmpty = topics.length === 0 && shown === null && !problem;

  // biome-ignore lint/correctness/useExhaustiveDependencies: cards grow when something in the column changes.
  useLayoutEffect(() => {
    const box = column.current;
    if (!box) return;
    const from = box.getBoundingClientRect().top;
    const cards = placed.flatMap(({ topic, ranges }) => {
      const card = box.querySelector<HTMLElement>(`:scope > [data-card="${topic.topic_id}"]`);
      const viewportTop = ranges[0]?.getBoundingClientRect().top;
      if (!card || viewportTop === undefined) return [];
      return [{ id: topic.topic_id, desiredTop: viewportTop - from, height: card.offsetHeight }];
    });
    const stack = stackCards(cards, { from: top.current?.offsetHeight ?? 0, first: shown });
    setTops((before) => (isSame(before, stack.tops) ? before : stack.tops));
    setHeight(stack.height);
  }, [placed, shown, changes]);

  if (isEmpty) return null;
  return (
    <aside
      ref={column}
      aria-label="Comments"
      data-topics-margin
      className="relative w-72 shrink-0"
      style={{ minHeight: height }}
    >
      <div ref={top} className="grid gap-3 pb-3 empty:pb-0">
        {problem && <ProblemAlert title="Couldn't load comments." problem={problem} onRetry={refresh} />}
        {isLinkedElsewhere && <LinkedTopic shown={shown} canWrite={canWrite} />}
        {(hasOthers || shown === "list") && (
          <TopicList {...list} placedIds={placedIds} isShort={shown !== "list"} />
        )}
      </div>
      {placed.map(({ topic }) => {
        const { topic_id } = topic;
        const isOpen = shown === topic_id;
        const style: CSSProperties = { top: tops.get(topic_id) ?? 0, zIndex: isOpen ? 1 : 0 };
        return (
          <div key={topic_id} data-card={topic_id} className="absolute inset-x-0" style={style}>
            <TopicCard
              topic={topic}
              isOpen={isOpen}
              isBesideText
              canWrite={canWrite}
              onToggle={() => showTopic(isOpen ? null : topic_id)}
            />
          </div>
        );
      })}
    </aside>
  );
}

function isSame(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): boolean {
  return before.size === after.size && [...after].every(([id, top]) => before.get(id) === top);
}

/** A card in a column, with its preferred position and its height. */
interface Card {
  readonly id: number;
  readonly desiredTop: number;
  readonly height: number;
}

interface Stack {
  /** The top position of each card. */
  readonly tops: ReadonlyMap<number, number>;
  /** The bottom edge of the last card. */
  readonly height: number;
}

const gap = 8;

/**
 * Stacks cards without overlap, each at its preferred position or as close below as possible. The `first` card gets exactly its
 * position, if the cards above it fit.
 */
function stackCards(
  cards: readonly Card[],
  { from, first }: { readonly from: number; readonly first: unknown },
): Stack {
  const leadIndex = cards.findIndex(({ id }) => id === first);
  const above =
    leadIndex > 0
      ? stackUpwards(cards.slice(0, leadIndex), cards[leadIndex]?.desiredTop ?? 0)
      : new Map<number, number>();
  const hasRoom = [...above.values()].every((top) => top >= from);
  return stackDownwards(cards, from, hasRoom ? above : new Map());
}

function stackDownwards(cards: readonly Card[], from: number, fixedTops: ReadonlyMap<number, number>): Stack {
  const tops = new Map<number, number>();
  let nextTop = from;
  for (const { id, desiredTop, height } of cards) {
    const top = fixedTops.get(id) ?? Math.max(desiredTop, nextTop);
    tops.set(id, top);
    nextTop = top + height + gap;
  }
  return { tops, height: nextTop };
}

function stackUpwards(cards: readonly Card[], bottom: number): Map<number, number> {
  const tops = new Map<number, number>();
  let nextBottom = bottom;
  for (const { id, desiredTop, height } of cards.toReversed()) {
    const top = Math.min(desiredTop, nextBottom - gap - height);
    tops.set(id, top);
    nextBottom = top;
  }
  return tops;
}
