import { toHookSettings } from "../clients/claude-hooks.js";
import { claudePaths } from "../clients/claude-paths.js";
import type { ServerProgram } from "../clients/server-program.js";
import type { Addition } from "./json-edit.js";

/** A file of Claude Code, and what Merkle puts into it. */
export interface FileAdditions {
  readonly path: string;
  readonly additions: readonly Addition[];
}

/**
 * What makes Merkle's server, its hooks and the permission for its tools part of every session of this user (INSTALL-1).
 *
 * @param inTurn - whether this Claude Code has hooks that call a server's tool
 */
export function claudeFiles(
  program: ServerProgram,
  { env, inTurn }: { env: NodeJS.ProcessEnv; inTurn: boolean },
): FileAdditions[] {
  const { hooks } = toHookSettings([...withEnvironment(program), program.command, ...program.entry], {
    inTurn,
  });
  const server = {
    type: "stdio",
    command: program.command,
    args: [...program.entry, "mcp"],
    env: program.env,
    alwaysLoad: true,
  };
  const paths = claudePaths(env);
  return [
    {
      path: paths.config,
      additions: [{ kind: "member", path: ["mcpServers", "merkle"], value: server }],
    },
    {
      path: paths.settings,
      additions: [
        ...Object.entries(hooks).flatMap(([event, groups]) =>
          groups.map((value): Addition => ({ kind: "item", path: ["hooks", event], value })),
        ),
        { kind: "item", path: ["permissions", "allow"], value: "mcp__merkle" },
      ],
    },
  ];
}

/** A hook's command gets no environment of ours but by its own words. */
function withEnvironment({ env }: ServerProgram): string[] {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return assignments.length > 0 ? ["env", ...assignments] : [];
}
