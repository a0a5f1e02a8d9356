import type { Redaction } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { usageError } from "../core/cli-error.js";
import { toOneLine } from "../text/one-line.js";
import { toMoment } from "../text/time.js";

/** Parses a version number, with or without `v`. @throws CliError `usage` */
export function readVersion(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const digits = /^v?(\d{1,9})$/.exec(text)?.[1];
  if (digits !== undefined) return Number(digits);
  throw usageError(`${name} must be a version of the document, such as 14, got ${JSON.stringify(text)}.`);
}

/**
 * A range of versions. If `to` is undefined, the range ends at the newest version. If `from` is undefined,
 * the range starts at the version before `to`.
 */
export interface VersionSelection {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/**
 * Parses a range such as `13..14`, or `13` for all changes since version 13. If `text` is undefined, returns
 * the range of the last change.
 *
 * @throws CliError `usage`
 */
export function readVersionRange(text: string | undefined): VersionSelection {
  if (text === undefined) return { from: undefined, to: undefined };
  const match = /^v?(\d{1,9})(?:\.\.v?(\d{1,9}))?$/.exec(text);
  const from = Number(match?.[1]);
  const to = match?.[2] === undefined ? undefined : Number(match[2]);
  if (match && (to === undefined || from <= to)) return { from, to };
  throw usageError(`Versions must be a range such as 13..14, or one number, got ${JSON.stringify(text)}.`);
}

/**
 * Formats the note shown instead of removed text, such as `removed by Ana 14:05: holds a key`.
 *
 * @param indent - the prefix for the lines of the reason after the first line; without an indent, the reason
 * is put on one line
 */
export function formatRemoval(redaction: Redaction | undefined, indent?: string): string {
  const { by = null, at = null, reason = null } = redaction ?? {};
  const who = by === null ? "" : ` by ${toOneLine(by)}`;
  const when = at === null ? "" : ` ${toMoment(at)}`;
  if (reason === null) return `removed${who}${when}`;
  const why = indent === undefined ? toOneLine(reason) : neutralise(reason).replaceAll("\n", `\n${indent}`);
  return `removed${who}${when}: ${why}`;
}
