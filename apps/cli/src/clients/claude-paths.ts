import { homedir } from "node:os";
import { join } from "node:path";

/** Where Claude Code keeps what is this user's; without a folder of the user's choice, one file lies beside the others' folder. */
export function claudePaths(env: NodeJS.ProcessEnv): {
  readonly config: string;
  readonly settings: string;
  readonly sessions: string;
} {
  const chosen = env["CLAUDE_CONFIG_DIR"];
  const folder = chosen || join(homedir(), ".claude");
  return {
    config: join(chosen || homedir(), ".claude.json"),
    settings: join(folder, "settings.json"),
    /** A file for each that runs, by its process: whether it is busy, idle, or waits for its user. */
    sessions: join(folder, "sessions"),
  };
}
