import type { Command } from "../command/command.js";
import { CliError, exitCodes } from "../core/cli-error.js";

export const seal: Command = {
  name: "seal",
  summary: "show what the broker signs of a session's record, and what its conclusion sealed",
  arguments: [{ name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" }],
  examples: [
    "merkle seal split-auth",
    "merkle seal split-auth --json > split-auth.seal.json",
    "merkle seal split-auth --json | jq -r .head.root",
  ],
  async run({ args: [name], config, output, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { getSession } = await import("../sessions/find-session.js");
    const { readingFrom } = await import("../identity/acting.js");
    const { findForged, formatSeal } = await import("../seal/format-seal.js");
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, name, config);
    const reader = await readingFrom({ broker, config });
    const sealed = await reader.call("session_seal", { session_id });
    const forged = await findForged(sealed);
    if (forged) {
      throw new CliError(
        "verification_failed",
        `The signature of the head of ${forged.at} is not by the key that the broker names. What it says of the record cannot be believed.`,
        {
          exitCode: exitCodes.verification_failed,
          next: [`merkle verify ${slug}`],
          details: { head: forged },
        },
      );
    }
    const { checkSeen } = await import("../record/check-seen.js");
    await checkSeen(sealed, { home: config.home, broker: reader, sessionId: session_id });
    output.show(sealed, formatSeal(sealed, output));
    output.note(`  keep it: merkle seal ${slug} --json > ${slug}.seal.json`);
    return exitCodes.done;
  },
};
