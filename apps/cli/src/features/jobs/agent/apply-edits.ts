import { usageError } from "../../../core/cli-error.js";

interface Replacement {
  readonly old_text: string;
  readonly new_text: string;
}

/**
 * Replaces passages in `base`. Each passage must occur exactly once, and passages must not overlap.
 *
 * @param given - the passages, each marked by the lines `<<<<<<< OLD`, `======= NEW` and `>>>>>>> END`
 * @throws CliError `usage`, which names the invalid passage
 */
export function applyEdits(base: string, given: string): string {
  const placedEdits = parseEdits(given).map((edit, index) => ({
    ...edit,
    at: getPosition(base, edit, index),
  }));
  placedEdits.sort((one, other) => one.at - other.at);
  let text = "";
  let end = 0;
  for (const { at, old_text, new_text } of placedEdits) {
    if (at < end)
      throw usageError(`The passage ${quotePassage(old_text)} overlaps another passage: merge the two.`);
    text += base.slice(end, at) + new_text;
    end = at + old_text.length;
  }
  return text + base.slice(end);
}

function getPosition(base: string, { old_text }: Replacement, index: number): number {
  const at = base.indexOf(old_text);
  const what = `Passage ${index + 1}, ${quotePassage(old_text)},`;
  if (at === -1)
    throw usageError(`${what} does not occur in the base text. Copy it exactly, including spaces.`);
  if (base.indexOf(old_text, at + 1) === -1) return at;
  throw usageError(`${what} occurs more than once in the base text. Include more of the text around it.`);
}

/**
 * Parses the passages. Claude Code denies commands with JSON on stdin, so this format uses neither braces nor
 * quotation marks.
 */
function parseEdits(given: string): Replacement[] {
  const form =
    "With --edits, stdin must contain passages, each marked by three lines: <<<<<<< OLD, ======= NEW and >>>>>>> END.";
  const edits: Replacement[] = [];
  const rest = given.replace(passage, (_whole, old_text: string, new_text: string) => {
    edits.push({ old_text: withoutLastBreak(old_text), new_text: withoutLastBreak(new_text) });
    return "";
  });
  if (edits.length === 0 || rest.trim() !== "" || edits.some(({ old_text }) => old_text === "")) {
    throw usageError(form);
  }
  return edits;
}

const passage =
  /^<<<<<<< OLD\n((?:(?!<<<<<<< OLD$|======= NEW$).*\n)*)======= NEW\n((?:(?!======= NEW$|>>>>>>> END$).*\n)*)>>>>>>> END$/gm;

function withoutLastBreak(text: string): string {
  return text.replace(/\n$/, "");
}

function quotePassage(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
