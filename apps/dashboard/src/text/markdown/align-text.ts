import { isHighSurrogate } from "../surrogates";

/** A part of the rendered text, and its range in the markdown source. */
export interface AlignedPart {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the source range of each character of the rendered text. Escapes, entities and line prefixes occur only in the
 * source. If a part is as long as its source range, characters correspond one to one. Otherwise the part maps to its
 * range only as a whole. If the text cannot be aligned up to its end, the result is a single part for the whole range,
 * so positions are never wrong.
 */
export function alignText(text: string, source: string, within: Stretch): readonly AlignedPart[] {
  return followText(text, source, within) ?? [{ text, ...within }];
}

/**
 * Aligns inline code with the text between its backticks, if the source contains the code unchanged. Otherwise maps the code as
 * one unit to its whole range.
 */
export function alignInlineCode(code: string, source: string, within: Stretch): readonly AlignedPart[] {
  const [, marks = "", inner] = /^(`+)(.*)\1$/s.exec(source.slice(within.start, within.end)) ?? [];
  const padding = inner !== undefined && inner.length === code.length + 2 ? 1 : 0;
  const start = within.start + marks.length + padding;
  const isAsWritten = inner !== undefined && source.slice(start, start + code.length) === code;
  return [isAsWritten ? { text: code, start, end: start + code.length } : { text: code, ...within }];
}

/**
 * Aligns a code block with its source. In a list or quote each line has a prefix, so the block then maps to its range only as a
 * whole.
 */
export function alignCodeBlock(code: string, source: string, within: Stretch): AlignedPart {
  const block = source.slice(within.start, within.end);
  const isFenced = /^(?:`{3,}|~{3,})/.test(block);
  const from = isFenced ? block.indexOf("\n") + 1 : 0;
  const at = block.indexOf(code, from);
  const isOnce = at !== -1 && at === block.lastIndexOf(code);
  // In a fenced block the code starts on the line below the fence, even if the same text occurs again.
  if (code === "" || at === -1 || !(isFenced ? at === from : isOnce)) return { text: code, ...within };
  return { text: code, start: within.start + at, end: within.start + at + code.length };
}

const lineBreak = /[ \t]*\r?\n[ \t>]*/y;
const entity = /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/y;
const escapable = /[!-/:-@[-`{-~]/;

function followText(text: string, source: string, { start, end }: Stretch): readonly AlignedPart[] | null {
  const parts: AlignedPart[] = [];
  let open = { from: 0, start };
  let at = start;

  /** Ends the current one-to-one part before the character at `index`. */
  function close(index: number): void {
    if (index > open.from) parts.push({ text: text.slice(open.from, index), start: open.start, end: at });
  }

  for (let index = 0; index < text.length; ) {
    const character = text[index] ?? "";
    if (at >= end) return null;
    if (character === "\n") {
      const length = matchLengthAt(lineBreak, source, at);
      if (length === 0) return null;
      if (length === 1) {
        index += 1;
        at += 1;
        continue;
      }
      close(index);
      parts.push({ text: "\n", start: at, end: at + length });
      index += 1;
      at += length;
      open = { from: index, start: at };
    } else if (
      source[at] === "&" &&
      matchLengthAt(entity, source, at) > 0 &&
      !hasSameStart(text, index, source, at)
    ) {
      const length = matchLengthAt(entity, source, at);
      const unitCount = isHighSurrogate(text.charCodeAt(index)) ? 2 : 1;
      close(index);
      parts.push({ text: text.slice(index, index + unitCount), start: at, end: at + length });
      index += unitCount;
      at += length;
      open = { from: index, start: at };
    } else if (source[at] === "\\" && source[at + 1] === character && escapable.test(character)) {
      close(index);
      at += 1;
      open = { from: index, start: at };
      index += 1;
      at += 1;
    } else if (source[at] === character) {
      index += 1;
      at += 1;
    } else return null;
  }
  close(text.length);
  return at <= end && source.slice(at, end).trim() === "" ? parts : null;
}

/** True if the text continues with the entity's own characters, as it does for an unknown entity. */
function hasSameStart(text: string, index: number, source: string, at: number): boolean {
  const entityText = source.slice(at, at + matchLengthAt(entity, source, at));
  return text.startsWith(entityText, index);
}

function matchLengthAt(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0].length ?? 0;
}
