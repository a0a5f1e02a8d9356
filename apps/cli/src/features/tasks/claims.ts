import type { ScopeClaim } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { toSessionPath } from "../../core/address.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getReadingActor, getSessionActor } from "../../identity/actors.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import { resolveScope, toRepositoryKey } from "../../sessions/repository.js";
import { toOneLine } from "../../text/one-line.js";
import { toAge } from "../../text/time.js";

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
    limitFlag(),
    webFlag,
  ],
  examples: [
    "merkle claims split-auth",
    'merkle claims split-auth --claim "src/auth/**" --reason "rotating tokens"',
    "merkle claims split-auth --release 4",
  ],
  list: { operation: "list_claims", rows: "claims" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const [name] = args;
    const limit = readLimit(flags);
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
    if (isSet(flags, "web")) return openPage(context, broker, toSessionPath(session, "tasks"));
    const answer = await (await getReadingActor({ broker, config })).call("list_claims", { session_id });
    const rows = answer.claims.slice(0, limit);
    await showList(
      {
        value: { ...answer, claims: rows },
        rows,
        columns: listColumns(output),
        total: answer.claims.length,
        empty: "  no claims",
      },
      context,
    );
    return exitCodes.done;
  },
};

function listColumns({ bold, dim }: Output): Column<ScopeClaim>[] {
  return [
    { head: "Claim", cell: ({ claim }) => ({ text: String(claim), paint: dim }) },
    { head: "What", cell: ({ scope }) => ({ text: toOneLine(scope), paint: bold }) },
    { head: "By", cell: ({ holder, shared }) => `${toOneLine(holder)}${shared ? " (shared)" : ""}` },
    { head: "For", isOptional: true, cell: ({ claimed_at }) => toAge(claimed_at) },
    { head: "Reason", widthMin: 12, isOptional: true, cell: ({ reason }) => toOneLine(reason ?? "") },
  ];
}

function describeScope({ scope, repository }: ScopeClaim): string {
  if (!scope.startsWith("repo:")) return ", a name, not a file";
  return repository ? ", in this repository and its worktrees" : ", in any repository";
}
