import type { ScopeClaim } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag } from "../../core/flags.js";
import { getReadingActor, getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { resolveScope, toRepositoryKey } from "../../sessions/repository.js";
import { toOneLine } from "../../text/one-line.js";
import { formatClaims } from "./format-tasks.js";

export const claims: Command = {
  name: "claims",
  summary: "list what is claimed in a session, such as files and issues; claim or release one",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [
    {
      flags: "--claim <scope>",
      summary: "file pattern, issue or name to claim: src/auth/**, issue:#12",
    },
    { flags: "--reason <text>", summary: "with --claim: reason" },
    { flags: "--release <number>", summary: "number of the claim to end; a person can end anyone's" },
  ],
  examples: [
    "merkle claims split-auth",
    'merkle claims split-auth --claim "src/auth/**" --reason "rotating tokens"',
    "merkle claims split-auth --release 4",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    const scope = findFlag(flags, "claim");
    const reason = findFlag(flags, "reason");
    const claim = readWholeNumber(findFlag(flags, "release"), "--release", { min: 1, max: 2 ** 31 - 1 });
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const { session_id } = session;
    if (scope !== undefined) {
      const actor = await getSessionActor(session, { broker, config });
      const resolved = resolveScope(scope, process.cwd());
      const made = await actor.call("claim", {
        session_id,
        scope: resolved.scope,
        ...(resolved.address === null ? {} : { repository: toRepositoryKey(resolved.address, session_id) }),
        ...(reason === undefined ? {} : { reason }),
      });
      output.show(made, `${output.mark.ok} claimed ${toOneLine(made.scope)}${describeScope(made)}`);
      return exitCodes.done;
    }
    if (claim !== undefined) {
      const actor = await getSessionActor(session, { broker, config });
      const ended = await actor.call("release", { session_id, claim });
      output.show(ended, `${output.mark.ok} released ${toOneLine(ended.released)}`);
      return exitCodes.done;
    }
    const answer = await (await getReadingActor({ broker, config })).call("list_claims", { session_id });
    if (output.json || answer.claims.length > 0) output.show(answer, formatClaims(answer.claims, output));
    else output.note("  no claims");
    return exitCodes.done;
  },
};

function describeScope({ scope, repository }: ScopeClaim): string {
  if (!scope.startsWith("repo:")) return ", a name, not a file";
  return repository ? ", in this repository and its worktrees" : ", in any repository";
}
