import type { OutputOf } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { splitList } from "../core/flags.js";
import { getSessionActor } from "../identity/actors.js";
import { resolveSessionArgument } from "../sessions/find-session.js";
import { formatPeerAddress } from "../sessions/peer-names.js";
import { toAge } from "../text/time.js";

export const nudge: Command = {
  name: "nudge",
  summary: "wake a team, peer or @group to read its messages; shows who was woken",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[who]", summary: "team, peer, team/peer or @group; separate several with commas" },
  ],
  examples: [
    "merkle nudge split-auth Cedar",
    'merkle nudge split-auth "Alex\'s Team/atlas"',
    "merkle nudge split-auth @backend",
  ],
  async run({ args, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const { session, rest } = await resolveSessionArgument(broker, args, config);
    const to = splitList(rest === undefined ? [] : [rest]);
    if (to.length === 0) {
      throw usageError(
        "Name the team, peer or group to nudge.",
        `merkle nudge ${session.slug} <who>`,
        `merkle peers ${session.slug}`,
      );
    }
    const actor = await getSessionActor(session, { broker, config });
    const answer = await actor.call("nudge", { session_id: session.session_id, to });
    output.show(answer, await formatNudged(answer, output));
    return exitCodes.done;
  },
};

/** Formats one line per nudged peer. Reports only effects that the peer's client has confirmed. */
async function formatNudged({ nudged }: OutputOf<"nudge">, output: Output): Promise<string> {
  if (nudged.length === 0) return "no one else is there";
  return nudged
    .map(({ team, peer, connected, reached, last_seen_at: seenAt }) => {
      const mark = reached.length > 0 ? output.mark.ok : output.mark.warn;
      return `${mark} ${formatPeerAddress(team, peer)} ${describeReach()}`;

      function describeReach(): string {
        if (reached.includes("wait")) return "woken: its wait returned";
        if (reached.length > 0) return `woken by ${reached.join(", ")}`;
        const seen = `last seen ${toAge(seenAt)} ago`;
        return connected
          ? `is connected but could not be woken; it reads at its next poll (${seen})`
          : `is offline, ${seen}; it reads when it reconnects`;
      }
    })
    .join("\n");
}
