import type { OutputOf, Session } from "@merkle/wire";
import { limits, neutralise } from "@merkle/wire/plain";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Output } from "../command/output.js";
import { oneLine } from "../text/one-line.js";
import { toMoment } from "../text/time.js";
import { readDiff } from "./diff-facts.js";

interface Showing {
  readonly broker: Pick<BrokerClient, "call">;
  readonly output: Output;
  readonly session: Session;
  readonly from: number;
}

const sectionsMax = 3;

/** `v13 → v14  Atlas 14:01  ## Decisions  +1 −0`, and below it the diff. */
export async function formatChange(
  change: OutputOf<"read_session_doc">,
  { broker, output, session, from }: Showing,
): Promise<string> {
  const { signs } = output;
  const session_id = session.session_id;
  const diff = change.diff ?? "";
  const [{ content }, authors] = await Promise.all([
    broker.call("read_session_doc", { session_id, version: change.version }),
    listAuthors(broker, session_id, { from, to: change.version }),
  ]);
  const { added, removed, sections } = readDiff(diff, content ?? "");
  const summary = [
    `v${from} ${signs.arrow} v${change.version}`,
    authors.length === 0 ? "" : `${authors.map(oneLine).join(", ")} ${toMoment(change.updated_at)}`,
    sectionsText(sections),
    diff === "" ? "unchanged" : `+${added} ${signs.minus}${removed}`,
  ].filter((each) => each !== "");
  const shown = output.terminal ? output.diff(neutralise(diff)) : diff;
  return `${summary.join("  ")}\n${shown}`;
}

/** Who wrote these versions, each once, the first first. */
async function listAuthors(
  broker: Pick<BrokerClient, "call">,
  sessionId: string,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  if (from === to) return [];
  const { versions } = await broker.call("list_doc_versions", {
    session_id: sessionId,
    before_version: to + 1,
    limit: Math.min(to - from, limits.versionsPageMax),
  });
  return [...new Set(versions.map((each) => each.written_by).reverse())];
}

function sectionsText(sections: readonly string[]): string {
  const named = sections.slice(0, sectionsMax).map(oneLine);
  const rest = sections.length - named.length;
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}
