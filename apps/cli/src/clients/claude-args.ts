/**
 * The user's arguments for Claude Code, parsed only as far as Merkle needs. Arguments after a `--` are a
 * prompt and are not interpreted.
 */
export interface ClaudeArgs {
  /** The conversation to resume: the conversation with this id, or the latest in the folder. */
  readonly resumeTarget: { readonly id: string } | "latest" | undefined;
  /** The value of the last `--settings`, a path or JSON. Claude Code uses only the last one. */
  readonly settings: string | undefined;
  /** All arguments except `--settings`. */
  readonly others: readonly string[];
}

export function parseClaudeArgs(args: readonly string[]): ClaudeArgs {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const others: string[] = [];
  let settings: string | undefined;
  let resumeTarget: ClaudeArgs["resumeTarget"];
  for (let index = 0; index < own.length; index += 1) {
    const word = own[index] ?? "";
    const next = own[index + 1];
    const [name = "", value = next] = splitFlag(word);
    if (name === "--settings" && value !== undefined) {
      settings = value;
      if (!word.includes("=")) index += 1;
      continue;
    }
    if ((name === "--resume" || name === "-r") && value !== undefined) resumeTarget = { id: value };
    if (name === "--continue" || name === "-c") resumeTarget = "latest";
    others.push(word);
  }
  return { resumeTarget, settings, others: end < 0 ? others : [...others, ...args.slice(end)] };
}

function splitFlag(word: string): [string] | [string, string] {
  const equals = word.startsWith("--") ? word.indexOf("=") : -1;
  return equals < 0 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
}
