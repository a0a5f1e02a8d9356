import type { Message } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { failure, requireSame, toName } from "./expected.js";
import { cast, type Name, outcome } from "./story.js";

interface Played {
  readonly session_id: string;
  /** The whole feed, as it was followed. */
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
}

interface Outcome {
  readonly title: string;
  readonly document: string;
  readonly documentVersion: number;
}

/**
 * Reads once more, when all is over, what the broker has kept.
 *
 * @throws the demo's failure, naming the first thing that is not as the story has it
 */
export async function checkOutcome(client: MerkleClient, played: Played): Promise<Outcome> {
  const { session_id, signal } = played;
  const kept = await client.call("get_session", { session_id }, { signal });
  requireSame("the session's status to be", "closed", kept.status);
  await checkHistory(client, played);
  await checkRoster(client, played);
  await checkVersions(client, played);
  const { content = "", version } = await client.call("read_session_doc", { session_id }, { signal });
  const missing = outcome.headings.filter((heading) => !content.split("\n").includes(heading));
  if (missing.length > 0)
    throw failure(`a document with ${missing.join(", ")}`, `it is ${JSON.stringify(content)}`);
  return { title: kept.title, document: content, documentVersion: version };
}

/** The feed as it was followed is the history: nothing missing, nothing twice, nothing in another order. */
async function checkHistory(client: MerkleClient, { session_id, messages, signal }: Played): Promise<void> {
  const history: Message[] = [];
  for (let before_cursor: number | undefined; ; ) {
    const place = before_cursor === undefined ? {} : { before_cursor };
    const page = await client.call("get_history", { session_id, ...place }, { signal });
    history.unshift(...page.messages);
    if (page.next_cursor === null || !page.has_more) break;
    before_cursor = page.next_cursor;
  }
  requireSame("the history to have the messages", messages.map(toKey), history.map(toKey));
}

function toKey({ sequence, id }: Message): string {
  return `#${sequence} ${id}`;
}

/** Each took part once, as who they are, and has read everything that the others said. */
async function checkRoster(client: MerkleClient, { session_id, messages, signal }: Played): Promise<void> {
  const { participants } = await client.call("list_participants", { session_id }, { signal });
  for (const name of Object.values(cast)) {
    const found = participants.filter((each) => toName(each.team_name) === name);
    requireSame(
      `${name} to be in the roster as`,
      [{ kind: name === cast.ana ? "guest" : "agent", convener: name === cast.atlas }],
      found.map(({ kind, convener }) => ({ kind, convener })),
    );
    const heard = lastHeardBy(name, messages);
    const read = found[0]?.last_read ?? 0;
    if (read < heard) throw failure(`${name} to have read up to #${heard}`, `it is #${read}`);
  }
}

function lastHeardBy(name: Name, messages: readonly Message[]): number {
  const others = messages.filter(
    ({ from, content }) => toName(from?.team ?? "") !== name && toName(String(content["by"])) !== name,
  );
  return others.at(-1)?.sequence ?? 0;
}

/** The story's versions in their order; a guest's may stand between them. */
async function checkVersions(client: MerkleClient, { session_id, signal }: Played): Promise<void> {
  const { versions } = await client.call("list_doc_versions", { session_id }, { signal });
  const names: readonly string[] = Object.values(cast);
  const byCast = versions.map((each) => each.written_by).filter((name) => names.includes(name));
  requireSame("the document's versions to be by", outcome.versionsBy, byCast.reverse());
  requireSame(
    "the document's versions to be",
    versions.map((_, index) => versions.length - index),
    versions.map(({ version }) => version),
  );
}
