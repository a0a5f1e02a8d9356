"use client";

import { ChevronRight } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";
import { type JsonNode, listVisibleNodes, openDownTo, shownAtOnce } from "./json-nodes";
import { previewJson } from "./json-text";

export interface JsonTreeProps {
  readonly value: unknown;
  /** Label of the value for screen readers. */
  readonly label: string;
  /** Number of levels that are expanded initially, if the result has few lines. */
  readonly levels?: number;
}

/** Maximum number of lines that are expanded initially. */
const linesAtFirst = 24;

/** A longer string is cut off, with a button to show all of it. */
const textCharsMax = 240;

/** A JSON value. Lists and objects expand and collapse with the pointer or the keys of a tree. Other values are plain text. */
export function JsonTree({ value, label, levels = 0 }: JsonTreeProps) {
  if (typeof value !== "object" || value === null) {
    return (
      <span className="font-mono text-sm leading-6">
        <Leaf value={value} />
      </span>
    );
  }
  return <Tree value={value} label={label} levels={levels} />;
}

function Tree({ value, label, levels }: Required<JsonTreeProps>) {
  const id = useId();
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openDownTo(value, levels, linesAtFirst));
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const [focused, setFocused] = useState("");
  const nodes = useMemo(() => listVisibleNodes(value, { open, shown }), [value, open, shown]);
  const places = nodes.map(placeOf);
  const current = places.includes(focused) ? focused : (places[0] ?? "");

  function toggle(path: string, isOpen: boolean): void {
    const next = new Set(open);
    if (isOpen) next.add(path);
    else next.delete(path);
    setOpen(next);
  }

  function act(node: JsonNode): void {
    if (node.kind === "more") {
      setShown(new Map(shown).set(node.path, (shown.get(node.path) ?? shownAtOnce) + shownAtOnce));
      return;
    }
    if (node.holds !== null && node.holds > 0) toggle(node.path, !node.isOpen);
  }

  function goTo(place: string | undefined): void {
    if (place === undefined) return;
    setFocused(place);
    document.getElementById(toNodeId(id, place))?.focus();
  }

  function handleKey(event: KeyboardEvent): void {
    const index = places.indexOf(current);
    const node = nodes[index];
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const isOpen = node.kind === "value" && node.isOpen;
    const canOpen = node.kind === "value" && node.holds !== null && node.holds > 0;
    switch (event.key) {
      case "ArrowDown":
        goTo(places[index + 1]);
        break;
      case "ArrowUp":
        goTo(places[index - 1]);
        break;
      case "Home":
        goTo(places[0]);
        break;
      case "End":
        goTo(places.at(-1));
        break;
      case "ArrowRight":
        if (isOpen) goTo(places[index + 1]);
        else if (canOpen) toggle(node.path, true);
        break;
      case "ArrowLeft":
        if (isOpen) toggle(node.path, false);
        else goTo(findParent(nodes, index));
        break;
      case "Enter":
      case " ":
        act(node);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div role="tree" aria-label={label} onKeyDown={handleKey} className="min-w-0 font-mono text-sm">
      {nodes.map((node, index) => {
        const place = places[index] ?? "";
        const canOpen = node.kind === "value" && node.holds !== null && node.holds > 0;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree above handles the keys of all of its items.
          <div
            key={place}
            id={toNodeId(id, place)}
            role="treeitem"
            aria-level={node.level}
            aria-expanded={canOpen ? node.isOpen : undefined}
            tabIndex={place === current ? 0 : -1}
            onClick={() => {
              setFocused(place);
              act(node);
            }}
            style={{ paddingInlineStart: `${(node.level - 1) * 14}px` }}
            className={cn(
              "flex min-h-6 items-start gap-1 rounded-sm pointer-coarse:min-h-11 pointer-coarse:items-center",
              (canOpen || node.kind === "more") && "cursor-pointer hover:bg-raised",
            )}
          >
            <Line node={node} />
          </div>
        );
      })}
    </div>
  );
}

function Line({ node }: { node: JsonNode }) {
  if (node.kind === "more") {
    return <span className="pl-5 font-sans text-link">{node.left.toLocaleString("en-GB")} more, show</span>;
  }
  const canOpen = node.holds !== null && node.holds > 0;
  return (
    <>
      <span aria-hidden className="grid h-6 w-4 shrink-0 place-items-center pointer-coarse:h-auto">
        {canOpen && (
          <ChevronRight className={cn("size-3.5 text-muted-foreground", node.isOpen && "rotate-90")} />
        )}
      </span>
      <span dir="auto" className="min-w-0 leading-6 [overflow-wrap:anywhere] whitespace-pre-wrap">
        {node.name !== null && <span className="text-muted-foreground">{node.name}: </span>}
        {node.holds === null ? <Leaf value={node.value} /> : <Holder node={node} />}
      </span>
    </>
  );
}

function Holder({ node }: { node: Extract<JsonNode, { kind: "value" }> }) {
  const isList = Array.isArray(node.value);
  if (node.holds === 0) return isList ? "[]" : "{}";
  const count = `${node.holds} ${isList ? (node.holds === 1 ? "item" : "items") : node.holds === 1 ? "key" : "keys"}`;
  return (
    <>
      <span className="font-sans text-xs text-muted-foreground">{count}</span>
      {!node.isOpen && <span> {previewJson(node.value, 80)}</span>}
    </>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setIsWhole] = useState(false);
  if (typeof value !== "string") {
    return (
      <span className="text-info">{value === undefined ? "no value" : (JSON.stringify(value) ?? "")}</span>
    );
  }
  const text = JSON.stringify(value);
  if (isWhole || text.length <= textCharsMax) {
    return (
      <span dir="auto" className="text-success [overflow-wrap:anywhere]">
        {text}
      </span>
    );
  }
  return (
    <>
      <span dir="auto" className="text-success [overflow-wrap:anywhere]">
        {previewJson(value, textCharsMax)}
      </span>{" "}
      <Button
        variant="ghost"
        size="sm"
        className="h-6 font-sans text-link"
        onClick={(event) => {
          event.stopPropagation();
          setIsWhole(true);
        }}
      >
        Show all {value.length.toLocaleString("en-GB")} characters
      </Button>
    </>
  );
}

function placeOf(node: JsonNode): string {
  return node.kind === "more" ? `${node.path}#more` : node.path;
}

function toNodeId(tree: string, place: string): string {
  return `${tree}:${place}`;
}

function findParent(nodes: readonly JsonNode[], index: number): string | undefined {
  const level = nodes[index]?.level ?? 1;
  const parent = nodes.slice(0, index).findLast((node) => node.level < level);
  return parent && placeOf(parent);
}
