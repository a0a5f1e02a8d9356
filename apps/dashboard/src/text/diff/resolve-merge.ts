import type { ConflictBlock, MergeBlock } from "@merkle/wire/document";

export type ConflictChoice = "mine" | "theirs" | "mine-theirs" | "theirs-mine";

/** Returns the merged text, or null until every conflict has a choice. `choices` is keyed by the block's index. */
export function resolveMerge(
  blocks: readonly MergeBlock[],
  choices: ReadonlyMap<number, ConflictChoice>,
): string | null {
  const parts: string[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.kind === "settled") {
      parts.push(block.text);
      continue;
    }
    const choice = choices.get(index);
    if (choice === undefined) return null;
    parts.push(takeChoice(block, choice));
  }
  // Only the last line of a document may lack a line break. `join` adds the break if another part follows.
  return parts.filter((part) => part !== "").reduce((text, part) => join(text, part), "");
}

function takeChoice({ mine, theirs }: ConflictBlock, choice: ConflictChoice): string {
  switch (choice) {
    case "mine":
      return mine;
    case "theirs":
      return theirs;
    case "mine-theirs":
      return join(mine, theirs);
    case "theirs-mine":
      return join(theirs, mine);
  }
}

function join(first: string, second: string): string {
  const isSeparated = first === "" || second === "" || first.endsWith("\n");
  return isSeparated ? first + second : `${first}\n${second}`;
}
