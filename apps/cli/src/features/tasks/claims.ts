import type { ScopeClaim } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { textOf } from "../../core/flags.js";
import { actingIn, readingFrom } from "../../identity/acting.js";
import { getSession } from "../../sessions/find-session.js";
import { resolveScope, toRepositoryKey } from "../../sessions/repository.js";
import { oneLine } from "../../text/one-line.js";
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
    const scope = textOf(flags, "claim");
    const reason = textOf(flags, "reason");
    const claim = readWholeNumber(textOf(flags, "release"), "--release", { min: 1, max: 2 ** 31 - 1 });
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const { session_id } = session;
    if (scope !== undefined) {
      const actor = await actingIn(session, { broker, config });
      const resolved = resolveScope(scope, process.cwd());
      const made = await actor.call("claim", {
        session_id,
        scope: resolved.scope,
        ...(resolved.address === null ? {} : { repository: toRepositoryKey(resolved.address, session_id) }),
        ...(reason === undefined ? {} : { reason }),
      });
      output.show(made, `${output.mark.ok} claimed ${oneLine(made.scope)}${describeReading(made)}`);
      return exitCodes.done;
    }
    if (claim !== undefined) {
      const actor = await actingIn(session, { broker, config });
      const ended = await actor.call("release", { session_id, claim });
      output.show(ended, `${output.mark.ok} released ${oneLine(ended.released)}`);
      return exitCodes.done;
    }
    const found = await (await readingFrom({ broker, config })).call("list_claims", { session_id });
    if (output.json || found.claims.length > 0) output.show(found, formatClaims(found.claims, output));
    else output.note("  no claims");
    return exitCodes.done;
  },
};

function describeReading({ scope, repository }: ScopeClaim): string {
  if (!scope.startsWith("repo:")) return ", a name, not a file";
  return repository ? ", in this repository and its worktrees" : ", in any repository";
}
