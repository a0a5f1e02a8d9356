import type { OutputOf, Session } from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Output } from "../command/output.js";
import { counted } from "../duration.js";
import { oneLine } from "../text/one-line.js";

/** What a change of title or description changed, and how many others heard of it. */
export async function describeChanges(
  { changes }: OutputOf<"update_session_metadata">,
  { broker, output, session }: { broker: Pick<BrokerClient, "call">; output: Output; session: Session },
): Promise<string> {
  const told: string[] = [];
  if (changes.title) {
    const { from, to } = changes.title;
    told.push(`${JSON.stringify(oneLine(from))} ${output.signs.arrow} ${JSON.stringify(oneLine(to))}`);
  }
  if (changes.description) told.push("new description");
  if (told.length === 0) return `${output.mark.ok} nothing changed`;
  // Whoever made the change is one of them.
  const { teams } = await broker.call("get_session", { session_id: session.session_id });
  return `${output.mark.ok} ${told.join(", ")}   told ${counted(Math.max(0, teams - 1), "team")}`;
}
