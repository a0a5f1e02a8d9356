"use client";

import type { Topic } from "@merkle/wire";
import { MessagesSquare } from "lucide-react";
import { type RefObject, useEffect, useMemo, useState } from "react";
import { ToolButton } from "@/components/tool-button";
import { findPartStarts } from "@/document/part-starts";
import type { TextMarginProps } from "@/parts/feature";
import { mapPlaces } from "@/text/anchors/page-places";
import { findPlaceIn } from "./describe-place";
import { SelectionComment } from "./selection-comment";
import { TopicMargin, type TopicWithRanges } from "./topic-margin";
import { showTopic, useTopicParam } from "./topic-param";
import { TopicSheet } from "./topic-sheet";
import { useMarks } from "./use-marks";
import { usePageChanges } from "./use-page-changes";
import { useTopics } from "./use-topics";

/** Minimum width in pixels for showing a column next to the text. */
const marginFromPx = 896;

const noTopics: readonly Topic[] = [];
const noRanges: readonly Range[] = [];

/** The comments on a document or file: highlights in the text, and threads next to it. */
export function SourceTopics({ text, root, scroller, canWrite }: TextMarginProps) {
  const { revision, content, layout } = text;
  const shown = useTopicParam();
  const { data, problem, refresh } = useTopics({ status: "open" });
  const topics = data?.topics ?? noTopics;
  const isWide = useIsWide(scroller, marginFromPx);
  const starts = useMemo(() => findPartStarts(content, layout), [content, layout]);
  const changes = usePageChanges(root);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new layout is searched again.
  const places = useMemo(
    () => (root.current ? mapPlaces(root.current, starts) : null),
    [root, starts, changes],
  );
  const placedTopics = useMemo(() => {
    const topicsInText = topics.flatMap((topic) => {
      const place = findPlaceIn(topic, revision);
      const ranges = place && places ? places.toPage(place) : [];
      return ranges.length > 0 ? [{ topic, start: place?.start ?? 0, ranges }] : [];
    });
    return topicsInText.sort((a, b) => a.start - b.start);
  }, [topics, revision, places]);
  const shownRanges = placedTopics.find(({ topic }) => topic.topic_id === shown)?.ranges ?? noRanges;

  useMarks(
    "topics",
    useMemo(() => placedTopics.flatMap(({ ranges }) => ranges), [placedTopics]),
  );
  useMarks("topic-shown", shownRanges);
  useOpenOnPress(root, placedTopics);

  function showInText(topic: Topic): void {
    const ranges = placedTopics.find((each) => each.topic === topic)?.ranges;
    if (!isWide) showTopic(null);
    if (ranges) bringIntoView(scroller.current, ranges);
  }

  // Scrolls to the text of a linked topic once it is rendered.
  const hasPlace = shownRanges.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each topic that is shown, not whenever its text moves.
  useEffect(() => {
    if (hasPlace && isWide) bringIntoView(scroller.current, shownRanges);
  }, [shown, hasPlace, isWide]);

  const common = { text, topics, shown, canWrite, problem, refresh, onFind: showInText };
  return (
    <>
      {canWrite && <SelectionComment text={text} root={root} places={places} />}
      {isWide === true && <TopicMargin {...common} placed={placedTopics} />}
      {isWide === false && shown !== null && <TopicSheet {...common} />}
    </>
  );
}

/** Toggles the list of comments, and shows the number of open comments. */
export function TopicsButton() {
  const shown = useTopicParam();
  const { data } = useTopics({ status: "open" });
  const count = data?.topics.length ?? 0;
  const countText = data?.next_before === null ? String(count) : `${count}+`;
  return (
    <ToolButton
      icon={<MessagesSquare aria-hidden />}
      label="Comments"
      isPressed={shown !== null}
      note={count > 0 && <span className="text-muted-foreground tabular-nums">{countText}</span>}
      onClick={() => showTopic(shown === null ? "list" : null)}
    />
  );
}

/** Opens the comments on highlighted text when the text is clicked. */
function useOpenOnPress(root: RefObject<HTMLElement | null>, placedTopics: readonly TopicWithRanges[]): void {
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    function press({ target, clientX, clientY }: MouseEvent): void {
      const isOfPage = target instanceof Element && target.closest("a, button, summary, input, textarea");
      if (isOfPage || document.getSelection()?.isCollapsed === false) return;
      const topicsAtPoint = placedTopics.filter(({ ranges }) =>
        ranges.some((range) => isPointInside(range, clientX, clientY)),
      );
      // If highlights are nested, a click refers to the innermost.
      const inner = topicsAtPoint.sort((a, b) => measureTopic(a.topic) - measureTopic(b.topic))[0];
      if (inner) showTopic(inner.topic.topic_id);
    }
    element.addEventListener("click", press);
    return () => element.removeEventListener("click", press);
  }, [root, placedTopics]);
}

function isPointInside(range: Range, x: number, y: number): boolean {
  return [...range.getClientRects()].some(
    ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
  );
}

function measureTopic({ place }: Topic): number {
  return (place?.end ?? 0) - (place?.start ?? 0);
}

/** Scrolls a range into view, unless it is already visible. */
function bringIntoView(scroller: HTMLElement | null, [first]: readonly Range[]): void {
  if (!scroller || !first) return;
  const box = scroller.getBoundingClientRect();
  const { top, bottom } = first.getBoundingClientRect();
  if (top >= box.top && bottom <= box.bottom) return;
  scroller.scrollTop += top - box.top - box.height / 3;
}

/** Returns whether an element is at least this wide, in pixels. Null while unknown. */
function useIsWide(element: RefObject<HTMLElement | null>, fromPx: number): boolean | null {
  const [isWide, setWide] = useState<boolean | null>(null);
  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const sizes = new ResizeObserver(() => setWide(box.clientWidth >= fromPx));
    sizes.observe(box);
    return () => sizes.disconnect();
  }, [element, fromPx]);
  return isWide;
}
