"use client";

import type { KeyboardEvent, PointerEvent, RefObject } from "react";

export interface SplitterProps {
  /** The container that is divided. */
  readonly box: RefObject<HTMLElement | null>;
  /** The size of the pane before the splitter, as a percentage. */
  readonly percent: number;
  readonly onPercent: (percent: number) => void;
}

const percentMin = 25;
const percentMax = 75;
const step = 2;
const percentDefault = 58;

/** The bar between two panes. It can be dragged, moved with the arrow keys, and reset with a double click. */
export function Splitter({ box, percent, onPercent }: SplitterProps) {
  function move(event: PointerEvent<HTMLElement>): void {
    if (box.current === null || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { left, width } = box.current.getBoundingClientRect();
    onPercent(limitPercent(((event.clientX - left) / width) * 100));
  }

  function press(event: KeyboardEvent): void {
    const next = findNextPercent(event.key, percent);
    if (next === null) return;
    event.preventDefault();
    onPercent(limitPercent(next));
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be focused or moved; this is the separator of the ARIA practices.
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Feed width"
      aria-valuenow={Math.round(percent)}
      aria-valuemin={percentMin}
      aria-valuemax={percentMax}
      tabIndex={0}
      title="Drag, or use the arrow keys"
      onKeyDown={press}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
      onDoubleClick={() => onPercent(percentDefault)}
      className="relative hidden w-px shrink-0 cursor-col-resize touch-none bg-border after:absolute after:inset-y-0 after:-left-1 after:z-10 after:w-2.5 hover:bg-ring focus-visible:bg-ring lg:block"
    />
  );
}

function findNextPercent(key: string, percent: number): number | null {
  switch (key) {
    case "ArrowLeft":
      return percent - step;
    case "ArrowRight":
      return percent + step;
    case "Home":
      return percentMin;
    case "End":
      return percentMax;
    default:
      return null;
  }
}

function limitPercent(percent: number): number {
  return Math.min(percentMax, Math.max(percentMin, Math.round(percent * 10) / 10));
}
