import type { OutputOf, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { neutralise } from "@merkle/wire/text";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Output } from "../command/output.js";
import { toOneLine } from "../text/one-line.js";
import { replaceControlCharacters } from "../text/print-foreign.js";
import { toMoment } from "../text/time.js";
import { wrapLine } from "../text/wrap-line.js";

interface ShownChange {
  readonly broker: Pick<BrokerClient, "call">;
  readonly output: Output;
  readonly session: Session;
  readonly from: number;
  /** Whether the diff keeps terminal control characters. */
  readonly raw: boolean;
}

const sectionsMax = 3;

/** Formats a summary such as `v13 → v14  Atlas 14:01  ## Decisions  +1 −0`, followed by the diff. */
export async function formatChange(
  change: OutputOf<"read_session_doc">,
  { broker, output, session, from, raw }: ShownChange,
): Promise<string> {
  const { signs } = output;
  const session_id = session.session_id;
  const diff = change.diff ?? "";
  const [{ content }, authors] = await Promise.all([
    broker.call("read_session_doc", { session_id, version: change.version }),
    listAuthors(broker, session_id, { from, to: change.version }),
  ]);
  const { added, removed, sections } = readDiff(diff, content ?? "");
  const summary = [
    `${from === 0 ? "nothing" : `v${from}`} ${signs.arrow} v${change.version}`,
    authors.length === 0 ? "" : `${authors.map(toOneLine).join(", ")} ${toMoment(change.updated_at)}`,
    formatSections(sections),
    diff === "" ? "unchanged" : `+${added} ${signs.minus}${removed}`,
  ].filter((each) => each !== "");
  const harmless = output.isTerminal ? neutralise(diff) : replaceControlCharacters(diff);
  const shown = output.diff(raw ? diff : harmless);
  return `${wrapLine(summary.join("  "), output.columns, "  ").join("\n")}\n${shown}`;
}

/** Lists the authors of these versions, each once, in the order of their first versions. */
async function listAuthors(
  broker: Pick<BrokerClient, "call">,
  sessionId: string,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  if (from === to) return [];
  const { versions } = await broker.call("list_doc_versions", {
    session_id: sessionId,
    before_version: to + 1,
    limit: Math.min(to - from, limits.versionsPageMax),
  });
  return [...new Set(versions.map((each) => each.written_by).reverse())];
}

function formatSections(sections: readonly string[]): string {
  const named = sections.slice(0, sectionsMax).map(toOneLine);
  const rest = sections.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}

/** Facts about a unified diff. */
interface DiffFacts {
  readonly added: number;
  readonly removed: number;
  /** The headings of the changed sections in the new text. Each heading is listed once. */
  readonly sections: readonly string[];
}

/** Counts the changes in a unified diff and finds the headings above them in the new text. */
export function readDiff(diff: string, newText: string): DiffFacts {
  const changes = readChanges(diff);
  const headings = findHeadings(newText);
  const sections = changes
    .flatMap((change) => listChangedLines(change))
    .map((line) => findHeadingAbove(headings, line));
  return {
    added: changes.reduce((sum, each) => sum + each.added.length, 0),
    removed: changes.reduce((sum, each) => sum + each.removed, 0),
    sections: [...new Set(sections)].filter((each) => each !== undefined),
  };
}

/** Consecutive changed lines. `line` is the number of their first line in the new text, counted from 1. */
interface ChangeBlock {
  readonly line: number;
  removed: number;
  readonly added: string[];
}

function readChanges(diff: string): ChangeBlock[] {
  const changes: ChangeBlock[] = [];
  let line = 0;
  let continuesBlock = false;
  for (const text of diff.split("\n")) {
    const start = startOfHunk(text);
    const isChanged = line > 0 && /^[-+]/.test(text);
    if (isChanged && !continuesBlock) changes.push({ line, removed: 0, added: [] });
    if (isChanged) note(changes.at(-1), text);
    if (start !== undefined) line = start;
    else if (line > 0 && /^[ +]/.test(text)) line += 1;
    continuesBlock = isChanged || (continuesBlock && text.startsWith("\\"));
  }
  return changes;
}

/**
 * Returns the first line of a hunk in the new text. If the hunk only removes lines, Git names the preceding
 * line, so 1 is added.
 */
function startOfHunk(text: string): number | undefined {
  const [, start, length] = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(text) ?? [];
  return start === undefined ? undefined : Number(start) + (length === "0" ? 1 : 0);
}

function note(change: ChangeBlock | undefined, text: string): void {
  if (!change) return;
  if (text.startsWith("-")) change.removed += 1;
  else change.added.push(text.slice(1));
}

/**
 * Returns the line numbers that locate a change: the added lines that are not blank or, if there are none,
 * the line before the change.
 */
function listChangedLines({ line, added }: ChangeBlock): number[] {
  const lines = added.flatMap((text, index) => (text.trim() === "" ? [] : [line + index]));
  return lines.length > 0 ? lines : [line - 1];
}

interface HeadingLine {
  readonly line: number;
  readonly text: string;
}

function findHeadings(text: string): HeadingLine[] {
  const headings: HeadingLine[] = [];
  let fence: string | undefined;
  text.split("\n").forEach((each, index) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(each)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else if (/^ {0,3}#{1,6}\s/.test(each)) headings.push({ line: index + 1, text: each.trim() });
  });
  return headings;
}

function findHeadingAbove(headings: readonly HeadingLine[], line: number): string | undefined {
  return headings.findLast((each) => each.line <= line)?.text;
}
