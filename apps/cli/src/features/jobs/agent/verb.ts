import { neutralJson } from "@merkle/wire/text";
import type { JobClient } from "./job-client.js";

/** One thing that `merkle agent` does for the agent of a job. */
export interface Verb {
  /** As it is typed, behind `merkle agent`. */
  readonly name: string;
  /** The words behind it, for an error that says how it is called. */
  readonly usage: string;
  readonly options: Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
  /** Resolves with what is printed as JSON. */
  run(context: VerbContext): Promise<object>;
}

interface VerbContext {
  readonly client: JobClient;
  readonly options: Options;
  /** All of stdin, which must not be blank. @throws CliError `usage`, `payload_too_large` */
  readText(bytesMax: number): Promise<string>;
}

/** The options behind the verb. */
export interface Options {
  /** @throws CliError `usage` where it is missing */
  text(name: string): string;
  findText(name: string): string | undefined;
  /** @throws CliError `usage` where it is missing, or no whole number */
  number(name: string): number;
  findNumber(name: string): number | undefined;
  isSet(name: string): boolean;
}

/**
 * How long a page is, as it is printed: what a command says beyond 30,000 characters, Claude Code does not show to the model.
 */
export const pageCharsMax = 24_000;

/** The first entries that fit on a page together; one at least. */
export function firstPage<Entry>(entries: readonly Entry[]): Entry[] {
  let chars = 0;
  const page: Entry[] = [];
  for (const entry of entries) {
    chars += neutralJson(entry).length + 4;
    if (page.length > 0 && chars > pageCharsMax) break;
    page.push(entry);
  }
  return page;
}

/** A part of a text that fits on a page, from `offset` on, and where the next one begins; null at the end. */
interface TextPage {
  readonly content: string;
  readonly next: number | null;
}

/** Ends behind a line where there is one, and never within a character. Offsets count UTF-16 units. */
export function pageOfText(text: string, offset: number, charsMax = pageCharsMax): TextPage {
  let length = Math.min(charsMax, text.length - offset);
  // Escapes make it longer than it is.
  while (length > 1 && neutralJson(text.slice(offset, offset + length)).length > charsMax + 2) {
    length = Math.floor(length * 0.8);
  }
  const end = offset + Math.max(0, length);
  if (end >= text.length) return { content: text.slice(offset), next: null };
  const lineEnd = text.lastIndexOf("\n", end - 1) + 1;
  const cut = lineEnd > offset ? lineEnd : withinCharacter(text, end) ? end - 1 : end;
  return { content: text.slice(offset, cut), next: cut };
}

function withinCharacter(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && at > 1;
}
