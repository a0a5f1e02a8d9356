"use client";

import { ChevronRight } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";
import { childrenPerPage, computeOpenNodes, type JsonNode, listVisibleNodes } from "./json-nodes";
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
  const [open, setOpen] = useState<ReadonlySet<string>>(() => computeOpenNodes(value, levels, linesAtFirst));
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const [focused, setFocused] = useState("");
  const nodes = useMemo(() => listVisibleNodes(value, { open, shown }), [value, open, shown]);
  const nodeKeys = nodes.map(toNodeKey);
  const current = nodeKeys.includes(focused) ? focused : (nodeKeys[0] ?? "");

  function toggle(path: string, isOpen: boolean): void {
    const next = new Set(open);
    if (isOpen) next.add(path);
    else next.delete(path);
    setOpen(next);
  }

  function activate(node: JsonNode): void {
    if (node.kind === "more") {
      setShown(new Map(shown).set(node.path, (shown.get(node.path) ?? childrenPerPage) + childrenPerPage));
      return;
    }
    if (node.childCount !== null && node.childCount > 0) toggle(node.path, !node.isOpen);
  }

  function goTo(nodeKey: string | undefined): void {
    if (nodeKey === undefined) return;
    setFocused(nodeKey);
    document.getElementById(toNodeId(id, nodeKey))?.focus();
  }

  function handleKey(event: KeyboardEvent): void {
    const index = nodeKeys.indexOf(current);
    const node = nodes[index];
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const isOpen = node.kind === "value" && node.isOpen;
    const canOpen = node.kind === "value" && node.childCount !== null && node.childCount > 0;
    switch (event.key) {
      case "ArrowDown":
        goTo(nodeKeys[index + 1]);
        break;
      case "ArrowUp":
        goTo(nodeKeys[index - 1]);
        break;
      case "Home":
        goTo(nodeKeys[0]);
        break;
      case "End":
        goTo(nodeKeys.at(-1));
        break;
      case "ArrowRight":
        if (isOpen) goTo(nodeKeys[index + 1]);
        else if (canOpen) toggle(node.path, true);
        break;
      case "ArrowLeft":
        if (isOpen) toggle(node.path, false);
        else goTo(findParent(nodes, index));
        break;
      case "Enter":
      case " ":
        activate(node);
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
        const nodeKey = nodeKeys[index] ?? "";
        const canOpen = node.kind === "value" && node.childCount !== null && node.childCount > 0;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree above handles the keys of all of its items.
          <div
            key={nodeKey}
            id={toNodeId(id, nodeKey)}
            role="treeitem"
            aria-level={node.level}
            aria-expanded={canOpen ? node.isOpen : undefined}
            tabIndex={nodeKey === current ? 0 : -1}
            onClick={() => {
              setFocused(nodeKey);
              activate(node);
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
  const canOpen = node.childCount !== null && node.childCount > 0;
  return (
    <>
      <span aria-hidden className="grid h-6 w-4 shrink-0 place-items-center pointer-coarse:h-auto">
        {canOpen && (
          <ChevronRight className={cn("size-3.5 text-muted-foreground", node.isOpen && "rotate-90")} />
        )}
      </span>
      <span dir="auto" className="min-w-0 leading-6 [overflow-wrap:anywhere] whitespace-pre-wrap">
        {node.name !== null && <span className="text-muted-foreground">{node.name}: </span>}
        {node.childCount === null ? <Leaf value={node.value} /> : <Holder node={node} />}
      </span>
    </>
  );
}

function Holder({ node }: { node: Extract<JsonNode, { kind: "value" }> }) {
  const isList = Array.isArray(node.value);
  if (node.childCount === 0) return isList ? "[]" : "{}";
  const count = `${node.childCount} ${isList ? (node.childCount === 1 ? "item" : "items") : node.childCount === 1 ? "key" : "keys"}`;
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

function toNodeKey(node: JsonNode): string {
  return node.kind === "more" ? `${node.path}#more` : node.path;
}

function toNodeId(tree: string, nodeKey: string): string {
  return `${tree}:${nodeKey}`;
}

function findParent(nodes: readonly JsonNode[], index: number): string | undefined {
  const level = nodes[index]?.level ?? 1;
  const parent = nodes.slice(0, index).findLast((node) => node.level < level);
  return parent && toNodeKey(parent);
}
