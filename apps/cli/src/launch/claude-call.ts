import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { entryFile } from "../entry-file.js";
import { explainingHome, homeFiles } from "../merkle-home.js";
import type { HeldTeam } from "../teams/held-teams.js";

/** Where a launched agent belongs. */
export interface Place {
  readonly home: string;
  /** The broker's base. */
  readonly url: string;
  readonly team: Pick<HeldTeam, "slug" | "team_id" | "team_name">;
}

/** How Claude Code is run: everything but the program itself. No secret is in it (LAUNCH-6). */
export interface ClaudeCall {
  readonly args: readonly string[];
  /** What its environment has besides the user's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly configFile: string;
  readonly config: McpConfig;
}

export interface McpConfig {
  readonly mcpServers: {
    readonly merkle: {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly alwaysLoad: true;
    };
  };
}

/**
 * The call for an agent of this team. Both flags take any number of values, so that a prompt after them would be taken
 * for one more; written with `=` they take just their own, and those that the user adds come on top (LAUNCH-6).
 */
export function toClaudeCall({ home, url, team }: Place, userArgs: readonly string[]): ClaudeCall {
  const configFile = join(homeFiles.launch(home), `${team.team_id}.json`);
  const merkle = { MERKLE_HOME: home, MERKLE_URL: url };
  return {
    args: [`--mcp-config=${configFile}`, "--allowedTools=mcp__merkle", ...userArgs],
    env: { ...merkle, MERKLE_SESSION: team.slug, MERKLE_TEAM: team.team_name },
    configFile,
    config: {
      mcpServers: {
        merkle: {
          type: "stdio",
          command: process.execPath,
          args: [entryFile(), "mcp", "--as", team.team_id],
          env: merkle,
          alwaysLoad: true,
        },
      },
    },
  };
}

/** Writes the configuration that the call names; returns how to remove it. */
export async function writeMcpConfig(
  home: string,
  { configFile, config }: ClaudeCall,
): Promise<() => Promise<void>> {
  const unfinished = `${configFile}.${process.pid}.new`;
  await explainingHome(home, async () => {
    await mkdir(homeFiles.launch(home), { recursive: true, mode: 0o700 });
    try {
      await writeFile(unfinished, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
      await rename(unfinished, configFile);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
  return () => rm(configFile, { force: true });
}
