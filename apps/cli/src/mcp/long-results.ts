import { compactError, MerkleError, type Operation } from "@merkle/wire";
import type { Client, HookEvent } from "../clients/client.js";
import type { McpOptions } from "./options.js";
import type { SecretStore } from "./secret-store.js";

/**
 * Maximum length of a result. Claude Code writes results above 50,000 characters to a file. The difference
 * leaves room for text that Claude Code adds.
 */
export const resultCharsMax = 40_000;

/**
 * How many characters a piece may be shorter than the maximum so that it ends at a line break. Larger than
 * the longest memory, so that no memory is cut.
 */
const slackChars = 18_000;
const headCharsMax = 200;
const resultsMax = 8;
const resultsCharsMax = 4 * 1024 * 1024;

/** Splits results that are too long for one answer into pieces (STDIO-9). */
export interface LongResults {
  /**
   * Returns a short text unchanged. For a long text, returns the first piece, below a line that contains the
   * `read_more` call for the next piece.
   */
  shorten(tool: string, text: string): string;
  /** Returns the piece with this id. @throws not_found if the piece is no longer kept */
  read(id: string): string;
}

export function createLongResults(): LongResults {
  /** The results that are kept for `read_more`, oldest first. */
  const results = new Map<number, LongResult>();
  let last = 0;

  function store(tool: string, text: string): LongResult {
    last += 1;
    const result = { number: last, tool, chars: text.length, pieces: splitText(text) };
    results.set(last, result);
    let chars = [...results.values()].reduce((sum, each) => sum + each.chars, 0);
    for (const [number, oldest] of results) {
      if (number === last || (results.size <= resultsMax && chars <= resultsCharsMax)) break;
      chars -= oldest.chars;
      results.delete(number);
    }
    return result;
  }

  return {
    shorten: (tool, text) => (text.length < resultCharsMax ? text : formatPiece(store(tool, text), 1)),
    read(id) {
      const [, number, part] = /^(\d{1,9})-(\d{1,9})$/.exec(id) ?? [];
      const result = results.get(Number(number));
      const index = Number(part);
      if (result && index > 0 && index <= result.pieces.length) return formatPiece(result, index);
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

/** Puts a line from Merkle before a piece, so that no text inside the piece can pose as that line. */
function formatPiece({ number, tool, pieces }: LongResult, part: number): string {
  const total = pieces.length;
  const next = part < total ? `the next: read_more {"id":"${number}-${part + 1}"}` : "the last";
  return `part ${part} of ${total} of a long result of ${tool}, ${next}\n${pieces[part - 1] ?? ""}`;
}

/**
 * Splits text into pieces, at line breaks where possible. A piece that begins in the middle of a line is
 * indented, because text from others at the start of a line could pose as text from Merkle.
 */
function splitText(text: string): string[] {
  const pieces: string[] = [];
  const charsMax = resultCharsMax - headCharsMax;
  let indent = "";
  for (let from = 0; from < text.length; ) {
    const room = charsMax - indent.length;
    const to = text.length - from <= room ? text.length : findCut(text, from, from + room);
    const isInLine = text[to - 1] !== "\n";
    const end = isInLine ? to : to - 1;
    pieces.push(indent + text.slice(from, end));
    indent = isInLine ? "  " : "";
    from = to;
  }
  return pieces;
}

/**
 * Returns the position after the last line break near `to`. If there is none, returns `to`, moved if
 * necessary so as not to split a surrogate pair.
 */
function findCut(text: string, from: number, to: number): number {
  const lineEnd = text.lastIndexOf("\n", to - 1);
  if (lineEnd >= from && lineEnd >= to - slackChars) return lineEnd + 1;
  const code = text.charCodeAt(to - 1);
  return code >= 0xd800 && code <= 0xdbff ? to - 1 : to;
}

/**
 * The answer to a tool call: a single text. Only programs also get `structuredContent`, because clients would
 * show it to a model instead of the text.
 */
export type CallResult = {
  content: [{ type: "text"; text: string }];
  structuredContent?: { [name: string]: unknown };
  isError?: true;
};

export interface Renderer {
  /**
   * Formats the output of an operation.
   *
   * @param notice - a line to put before the output
   */
  output(operation: Operation, output: unknown, notice?: string): CallResult;
  error(tool: string, error: MerkleError): CallResult;
  text(text: string): CallResult;
  /**
   * Formats a hook's answer so that the client adds the text to the conversation. Empty if the text is empty.
   *
   * @param toUser - text that the client also shows to its user, if it can
   */
  hook(client: Pick<Client, "deliver">, event: HookEvent, text: string, toUser?: string): CallResult;
}

interface RendererOptions {
  readonly view: McpOptions["view"];
  readonly isStructured: boolean;
  readonly secretStore: SecretStore;
  readonly longResults: LongResults;
}

/**
 * Creates the functions that format answers: as short text for models, split if it is long, or as complete
 * JSON for programs (STDIO-9).
 */
export function createRenderer({ view, isStructured, secretStore, longResults }: RendererOptions): Renderer {
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
        return { ...toResult(text), ...(isStructured && { structuredContent: JSON.parse(text) }) };
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
