import { toNeutralJson } from "@merkle/wire/text";
import type { JobClient } from "./job-client.js";

/** A subcommand of `merkle agent`. */
export interface Verb {
  /** The word typed after `merkle agent`. */
  readonly name: string;
  /** The arguments after the name, as shown in usage errors. */
  readonly usage: string;
  readonly options: Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
  /** Performs the subcommand. Returns the object to print as JSON. */
  run(context: VerbContext): Promise<object>;
}

interface VerbContext {
  readonly client: JobClient;
  readonly options: VerbOptions;
  /** Reads all of stdin, which must not be blank. @throws CliError `usage`, `payload_too_large` */
  readText(bytesMax: number): Promise<string>;
}

/** The options given after the subcommand. */
export interface VerbOptions {
  /** @throws CliError `usage` if the option is missing */
  getText(name: string): string;
  findText(name: string): string | undefined;
  /** @throws CliError `usage` if the option is missing or not a whole number */
  getNumber(name: string): number;
  findNumber(name: string): number | undefined;
  isSet(name: string): boolean;
}

/**
 * Maximum length of a printed page. Claude Code shows the model at most 30,000 characters of a command's
 * output.
 */
export const pageCharsMax = 24_000;

/** Returns the entries that fit on a page, but at least one. */
export function takePage<Entry>(entries: readonly Entry[]): Entry[] {
  let chars = 0;
  const page: Entry[] = [];
  for (const entry of entries) {
    chars += toNeutralJson(entry).length + 4;
    if (page.length > 0 && chars > pageCharsMax) break;
    page.push(entry);
  }
  return page;
}

/**
 * The part of the text that fits on one page, and the offset of the next page. The offset is null on the last
 * page.
 */
interface TextPage {
  readonly content: string;
  readonly next: number | null;
}

/**
 * Returns a page of text that ends after a line if possible, and never inside a character. Offsets count
 * UTF-16 code units.
 */
export function toTextPage(text: string, offset: number, charsMax = pageCharsMax): TextPage {
  let length = Math.min(charsMax, text.length - offset);
  // Escaping makes the printed text longer than the text itself.
  while (length > 1 && toNeutralJson(text.slice(offset, offset + length)).length > charsMax + 2) {
    length = Math.floor(length * 0.8);
  }
  const end = offset + Math.max(0, length);
  if (end >= text.length) return { content: text.slice(offset), next: null };
  const lineEnd = text.lastIndexOf("\n", end - 1) + 1;
  const cut = lineEnd > offset ? lineEnd : isInsideCharacter(text, end) ? end - 1 : end;
  return { content: text.slice(offset, cut), next: cut };
}

function isInsideCharacter(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) && at > 1;
}
