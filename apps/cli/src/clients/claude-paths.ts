import { homedir } from "node:os";
import { join } from "node:path";

/** Where Claude Code keeps what is this user's; without a folder of the user's choice, one file lies beside the others' folder. */
export function claudePaths(env: NodeJS.ProcessEnv): { readonly config: string; readonly settings: string } {
  const chosen = env["CLAUDE_CONFIG_DIR"];
  return {
    config: join(chosen || homedir(), ".claude.json"),
    settings: join(chosen || join(homedir(), ".claude"), "settings.json"),
  };
}
