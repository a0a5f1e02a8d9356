import { compactError, MerkleError, type Operation } from "@merkle/wire";
import type { Client, HookEvent } from "../clients/client.js";
import type { McpOptions } from "./options.js";
import type { SecretStore } from "./secret-store.js";

/** Above 50,000 characters Claude Code puts a result into a file; this leaves room for what it adds. */
export const resultCharsMax = 40_000;

/** How much of a piece may be left unused, so that it ends with a line: more than the longest memory, which is never cut. */
const slackChars = 18_000;
const headCharsMax = 200;
const keptMax = 8;
const keptCharsMax = 4 * 1024 * 1024;

/** Results that are too long for one answer, handed out in pieces (STDIO-9). */
export interface LongResults {
  /** Returns a tool's answer: the text itself, or its first piece under a line that says how to get the next. */
  shorten(tool: string, text: string): string;
  /** @throws not_found when the piece is kept no longer */
  read(id: string): string;
}

export function createLongResults(): LongResults {
  /** The oldest first. */
  const kept = new Map<number, LongResult>();
  let last = 0;

  function keep(tool: string, text: string): LongResult {
    last += 1;
    const result = { number: last, tool, chars: text.length, pieces: cut(text) };
    kept.set(last, result);
    let chars = [...kept.values()].reduce((sum, each) => sum + each.chars, 0);
    for (const [number, oldest] of kept) {
      if (number === last || (kept.size <= keptMax && chars <= keptCharsMax)) break;
      chars -= oldest.chars;
      kept.delete(number);
    }
    return result;
  }

  return {
    shorten: (tool, text) => (text.length < resultCharsMax ? text : show(keep(tool, text), 1)),
    read(id) {
      const [, number, part] = /^(\d{1,9})-(\d{1,9})$/.exec(id) ?? [];
      const result = kept.get(Number(number));
      const index = Number(part);
      if (result && index > 0 && index <= result.pieces.length) return show(result, index);
      throw new MerkleError(
        "not_found",
        `The part ${JSON.stringify(id.slice(0, 100))} of a long result no longer exists. Call the original tool again.`,
      );
    },
  };
}

interface LongResult {
  readonly number: number;
  readonly tool: string;
  readonly chars: number;
  readonly pieces: readonly string[];
}

/** The first line is ours: whatever follows it cannot pass for it. */
function show({ number, tool, pieces }: LongResult, part: number): string {
  const total = pieces.length;
  const next = part < total ? `the next: read_more {"id":"${number}-${part + 1}"}` : "the last";
  return `part ${part} of ${total} of a long result of ${tool}, ${next}\n${pieces[part - 1] ?? ""}`;
}

/**
 * Cuts a text between lines where it can. What begins in the middle of a line is indented: at the beginning of a line the
 * text of others could pass for a line of ours.
 */
function cut(text: string): string[] {
  const pieces: string[] = [];
  const charsMax = resultCharsMax - headCharsMax;
  let indent = "";
  for (let from = 0; from < text.length; ) {
    const room = charsMax - indent.length;
    const to = text.length - from <= room ? text.length : findCut(text, from, from + room);
    const inLine = text[to - 1] !== "\n";
    const end = inLine ? to : to - 1;
    pieces.push(indent + text.slice(from, end));
    indent = inLine ? "  " : "";
    from = to;
  }
  return pieces;
}

/** Behind the last line break near `to`, or at `to`, but not between the halves of a character. */
function findCut(text: string, from: number, to: number): number {
  const lineEnd = text.lastIndexOf("\n", to - 1);
  if (lineEnd >= from && lineEnd >= to - slackChars) return lineEnd + 1;
  const code = text.charCodeAt(to - 1);
  return code >= 0xd800 && code <= 0xdbff ? to - 1 : to;
}

/** A tool's answer: one text. Programs alone get `structuredContent`, which clients would show a model instead of the text. */
export type CallResult = {
  content: [{ type: "text"; text: string }];
  structuredContent?: { [name: string]: unknown };
  isError?: true;
};

export interface Renderer {
  /** @param notice - a line of ours before all else */
  output(operation: Operation, output: unknown, notice?: string): CallResult;
  error(tool: string, error: MerkleError): CallResult;
  text(text: string): CallResult;
  /**
   * The answer to a hook of that event, by which the client adds the text to the conversation; nothing when the text is empty.
   *
   * @param toUser - what it shows its user beside that, where it can
   */
  hook(client: Pick<Client, "deliver">, event: HookEvent, text: string, toUser?: string): CallResult;
}

interface RendererOptions {
  readonly view: McpOptions["view"];
  readonly structured: boolean;
  readonly secretStore: SecretStore;
  readonly longResults: LongResults;
}

/** Makes answers: short text for a model, in pieces when it is long after all, or whole JSON for a program (STDIO-9). */
export function createRenderer({ view, structured, secretStore, longResults }: RendererOptions): Renderer {
  const toResult = (text: string): CallResult => ({ content: [{ type: "text", text }] });

  function shorten(tool: string, text: string): CallResult {
    return toResult(longResults.shorten(tool, secretStore.hide(text)));
  }

  return {
    text: toResult,
    hook: (client, event, text, toUser = "") =>
      toResult(JSON.stringify(client.deliver(event, secretStore.hide(text), secretStore.hide(toUser)))),
    output(operation, output, notice) {
      if (view === "json") {
        const text = secretStore.hide(JSON.stringify(output));
        return { ...toResult(text), ...(structured && { structuredContent: JSON.parse(text) }) };
      }
      const text = operation.compact(output, { credentialHolder: "server" });
      return shorten(operation.name, notice === undefined ? text : `${notice}\n${text}`);
    },
    error(tool, error) {
      const result =
        view === "json"
          ? toResult(secretStore.hide(JSON.stringify(error.toBody())))
          : shorten(tool, compactError(error));
      return { ...result, isError: true };
    },
  };
}
