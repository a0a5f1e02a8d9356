import { commands } from "../commands.js";

/** True if this build has the command that these words call. A build can leave out features with their commands. */
export function hasCommand(words: readonly string[]): boolean {
  return commands.some(({ name }) => `${words.join(" ")} `.startsWith(`${name} `));
}
