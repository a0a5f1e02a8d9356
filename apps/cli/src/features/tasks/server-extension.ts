import { MerkleError, type Message, type OutputOf } from "@merkle/wire";
import { formatInlineName, toNeutralJson } from "@merkle/wire/text";
import type { ExtendedServer, OpenRequest, ServerExtension } from "../../mcp/extension.js";
import type { AskBroker, OperationCall } from "../../mcp/operation-call.js";
import type { PeerSession } from "../../mcp/peer-sessions.js";
import { findRepository, resolveFile, resolveScope, toRepositoryKey } from "../../sessions/repository.js";
import { createClaimGuard } from "./claim-guard.js";

type Task = OutputOf<"list_tasks">["tasks"][number];

/**
 * Extends the MCP server: resolves claimed paths and tasks' files against its folder, guards edits of claimed files, warns
 * about unfinished work, and reminds a reviewer of a task.
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
    const held = tasks.filter(isHeld);
    const files = new Set(held.flatMap((task) => task.files ?? []));
    const open = [
      ...held.map(({ task, title }) => `task ${task} ${toNeutralJson(title)}`),
      ...claims
        .filter(({ mine, scope }) => mine && !files.has(scope))
        .map(({ scope }) => `the claim ${toNeutralJson(scope)}`),
    ];
    if (open.length === 0) return;
    team.advance({ type: "openWorkShown" });
    throw new MerkleError(
      "conflict",
      `The session was not concluded: you still hold ${open.join(", ")}. Finish or release them first, or repeat this call to conclude anyway.`,
    );
  }

  /** Returns the review that an event asks for. Whose review it is, the broker says when it is asked. */
  function findRequest(team: PeerSession, { event, sequence, content }: Message): OpenRequest | null {
    const { task, change, reviewer } = content;
    if (event !== "task_changed" || change !== "in_review" || reviewer === undefined) return null;
    return { remind: (signal) => remindOfReview(team, { task: Number(task), sequence }, signal) };
  }

  async function remindOfReview(
    { sessionId: session_id, credential: team_id }: PeerSession,
    { task, sequence }: { readonly task: number; readonly sequence: number },
    signal: AbortSignal,
  ): Promise<string | null> {
    const review = await link.call("get_task", { session_id, team_id, task }, { signal });
    const last = review.history.findLast(({ change }) => change === "in_review");
    // A task that was returned and handed in again has a newer event, which is put to the model instead.
    if (!review.to_review || last?.sequence !== sequence) return null;
    return `Merkle task ${task} by ${formatInlineName(review.holder ?? "")} is in review and waits for you: ${toNeutralJson(review.title)}. Accept it with finish_task, or return it with release, task and reason.`;
  }

  return {
    refresh,
    judgeEdit: judge,
    findRequest,
    operations: {
      async claim(performance, ask) {
        return performance.team && { output: await claimHere(performance, performance.team, ask) };
      },
      async create_task(performance, ask) {
        return resolveFiles(performance, ask);
      },
      async update_task(performance, ask) {
        return resolveFiles(performance, ask);
      },
      async claim_task(performance, ask) {
        const address = findRepository(process.cwd());
        if (!performance.team || address === null) return undefined;
        return { output: await askInRepository(performance, performance.team, address, ask) };
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
async function claimHere(performance: OperationCall, peer: PeerSession, ask: AskBroker): Promise<unknown> {
  const { scope } = performance.input;
  if (typeof scope !== "string") return ask(performance);
  const resolved = resolveScope(scope, process.cwd());
  const call = { ...performance, input: { ...performance.input, scope: resolved.scope } };
  return resolved.address === null ? ask(call) : askInRepository(call, peer, resolved.address, ask);
}

async function askInRepository(
  call: OperationCall,
  { sessionId }: PeerSession,
  address: string,
  ask: AskBroker,
): Promise<unknown> {
  const repository = toRepositoryKey(address, sessionId);
  try {
    return await ask({ ...call, input: { repository, ...call.input } });
  } catch (error) {
    // An older broker does not know the field `repository`, and applies a claim to every repository.
    if (isAboutField(error, "repository")) return ask(call);
    throw error;
  }
}

/** Resolves a task's files, given relative to this server's folder. */
async function resolveFiles(performance: OperationCall, ask: AskBroker) {
  const { files } = performance.input;
  if (!Array.isArray(files)) return undefined;
  const resolved = files.map((file) => (typeof file === "string" ? resolveFile(file, process.cwd()) : file));
  return { output: await ask({ ...performance, input: { ...performance.input, files: resolved } }) };
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
