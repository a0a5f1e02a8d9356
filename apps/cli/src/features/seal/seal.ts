import { formatSealSummary, type OutputOf, shortenHash } from "@merkle/wire";
import { isSignedBy, type SignedHead, verifySignatureHere } from "@merkle/wire/record";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { getReadingActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { formatCount, toMoment } from "../../text/time.js";
import { checkSeen } from "./check-seen.js";

export const seal: Command = {
  name: "seal",
  summary: "show the signed head of a session's record, and its seals",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  examples: [
    "merkle seal split-auth",
    "merkle seal split-auth --json > split-auth.seal.json",
    "merkle seal split-auth --json | jq -r .head.root",
  ],
  async run({ args: [name], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, name, config);
    const reader = await getReadingActor({ broker, config });
    const sealed = await reader.call("session_seal", { session_id });
    const forged = await findForged(sealed);
    if (forged) {
      throw new CliError(
        "verification_failed",
        `The head of ${forged.at} was not signed with the key that the broker names. Do not trust what the broker reports about the record.`,
        {
          exitCode: exitCodes.verification_failed,
          next: [`merkle verify ${slug}`],
          details: { head: forged },
        },
      );
    }
    await checkSeen(sealed, { home: config.home, broker: reader, sessionId: session_id });
    output.show(sealed, formatSeal(sealed, output));
    output.note(`  keep it: merkle seal ${slug} --json > ${slug}.seal.json`);
    return exitCodes.done;
  },
};

type SessionSeal = OutputOf<"session_seal">;

/**
 * Formats the last seal with its key, and the number of messages posted after it. Before the first
 * conclusion, formats the current head.
 */
function formatSeal({ head, seals, keys }: SessionSeal, output: Pick<Output, "mark" | "dim">): string {
  const [last] = seals;
  const lines = last
    ? [`${output.mark.ok} ${formatSealSummary(last)}`, formatHeadFacts(last)]
    : [
        `not concluded yet: ${formatCount(head.size, "message")} so far, root ${shortenHash(head.root)}`,
        formatHeadFacts(head),
      ];
  if (last && head.size > last.size) {
    lines.push(
      `  ${formatCount(head.size - last.size, "message")} since then; root with them: ${shortenHash(head.root)}`,
    );
  }
  if (seals.length > 1)
    lines.push(`  ${formatCount(seals.length - 1, "earlier seal")}, all included in this seal`);
  lines.push(output.dim(`  root ${(last ?? head).root}`), output.dim(`  key  ${(last ?? head).key_id}`));
  if (keys.length > 1)
    lines.push(output.dim(`  ${keys.length} keys have signed this record: merkle audit-key show`));
  return lines.join("\n");
}

function formatHeadFacts({ document, at }: SignedHead): string {
  return `  document v${document.version}, signed ${toMoment(at)}`;
}

/** Returns the first head that was not signed with the key that it names, or null. */
async function findForged({ head, seals, keys }: SessionSeal): Promise<SignedHead | null> {
  for (const each of [head, ...seals]) {
    const key = keys.find(({ key_id }) => key_id === each.key_id);
    if (!key || !(await isSignedBy(each, key, verifySignatureHere))) return each;
  }
  return null;
}
