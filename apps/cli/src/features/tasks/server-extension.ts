import { MerkleError, type OutputOf } from "@merkle/wire";
import { toNeutralJson } from "@merkle/wire/text";
import type { ExtendedServer, ServerExtension } from "../../mcp/extension.js";
import type { AskBroker, OperationCall } from "../../mcp/operation-call.js";
import type { PeerSession } from "../../mcp/peer-sessions.js";
import { resolveScope, toRepositoryKey } from "../../sessions/repository.js";
import { createClaimGuard } from "./claim-guard.js";

type Task = OutputOf<"list_tasks">["tasks"][number];

/**
 * Extends the MCP server: resolves claimed paths against its folder, guards edits of claimed files, and warns
 * about unfinished work.
 */
export function extendServer({ link, teams, log }: ExtendedServer): ServerExtension {
  const { refresh, judge } = createClaimGuard({ link, teams, cwd: process.cwd(), log });

  /**
   * Warns an agent that it still holds tasks or claims. @throws conflict, once, with those tasks and claims
   * (STDIO-21)
   */
  async function warnOfOpenWork(team: PeerSession, signal: AbortSignal): Promise<void> {
    const as = { session_id: team.sessionId, team_id: team.credential };
    const [{ tasks }, { claims }] = await Promise.all([
      link.call("list_tasks", { ...as, mine: true }, { signal }),
      link.call("list_claims", as, { signal }),
    ]);
    const open = [
      ...tasks.filter(isHeld).map(({ task, title }) => `task ${task} ${toNeutralJson(title)}`),
      ...claims.filter(({ mine }) => mine).map(({ scope }) => `the claim ${toNeutralJson(scope)}`),
    ];
    if (open.length === 0) return;
    team.advance({ type: "openWorkShown" });
    throw new MerkleError(
      "conflict",
      `The session was not concluded: you still hold ${open.join(", ")}. Finish or release them first, or repeat this call to conclude anyway.`,
    );
  }

  return {
    refresh,
    judgeEdit: judge,
    operations: {
      async claim(performance, ask) {
        return performance.team && { output: await claimHere(performance, performance.team, ask) };
      },
      async release(performance, ask) {
        const { scope } = performance.input;
        if (typeof scope !== "string") return undefined;
        const input = { ...performance.input, scope: resolveScope(scope, process.cwd()).scope };
        return { output: await ask({ ...performance, input }) };
      },
      async conclude_session({ team, signal }) {
        if (team && !team.isClosed && !team.state.conversation.hasSeenOpenWork)
          await warnOfOpenWork(team, signal);
        return undefined;
      },
    },
  };
}

/**
 * Claims a path, given relative to this server's folder, in the repository that contains the folder
 * (CLAIM-7).
 */
async function claimHere(
  performance: OperationCall,
  { sessionId }: PeerSession,
  ask: AskBroker,
): Promise<unknown> {
  const { scope } = performance.input;
  if (typeof scope !== "string") return ask(performance);
  const resolved = resolveScope(scope, process.cwd());
  const repository = resolved.address && toRepositoryKey(resolved.address, sessionId);
  const input = { ...performance.input, scope: resolved.scope };
  try {
    return await ask({ ...performance, input: repository ? { repository, ...input } : input });
  } catch (error) {
    // An older broker does not know the field `repository`, and applies a claim to every repository.
    if (repository && isAboutField(error, "repository")) return ask({ ...performance, input });
    throw error;
  }
}

/**
 * Returns whether the caller holds the task. The list of the caller's tasks also includes tasks that are only
 * assigned to the caller.
 */
function isHeld({ mine, state }: Task): boolean {
  return mine && (state === "claimed" || state === "in_review");
}

function isAboutField(error: unknown, name: string): boolean {
  if (!(error instanceof MerkleError) || error.code !== "bad_request") return false;
  const { fields } = error.details;
  return Array.isArray(fields) && fields.some((each) => Object(each).field === name);
}
