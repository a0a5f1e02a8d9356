import { commands } from "../commands.js";

/**
 * Returns whether this build has the command that these words call. A build without a feature lacks the
 * feature's commands.
 */
export function hasCommand(words: readonly string[]): boolean {
  return commands.some(({ name }) => `${words.join(" ")} `.startsWith(`${name} `));
}
