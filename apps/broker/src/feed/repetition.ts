import { listPeers, type StoredMessage } from "@merkle/db";
import { canonicalJson } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import type { Saying } from "./check-reply.js";
import { addressOf, fold, isEveryone } from "./recipients.js";
import type { FeedServices } from "./services.js";

/** Whether what is said is what the message with the same key said (IDEM-8), however its recipients were written. */
export async function isRepetition(
  ctx: TeamContext<FeedServices>,
  stored: StoredMessage,
  saying: Saying,
): Promise<boolean> {
  return (
    stored.priority === saying.priority &&
    stored.replyTo === (saying.reply_to ?? null) &&
    // What was redacted cannot be compared: it is the same message, and is not posted again.
    (stored.redaction !== null || isSameContent(stored.content, saying.content)) &&
    (await isSameAudience(ctx, stored.recipients, saying.to))
  );
}

/** An answer is stored as the option is written, and may be given otherwise. */
function isSameContent(stored: string, { answer, ...content }: Saying["content"]): boolean {
  const { answer: given, guest }: { answer?: string; guest?: true } = JSON.parse(stored);
  const same = answer !== undefined && given !== undefined && fold(answer) === fold(given);
  const repeated = answer === undefined ? content : { ...content, answer: same ? given : answer };
  return canonicalJson(guest ? { ...repeated, guest } : repeated) === stored;
}

/**
 * Compares names and not peers: some may have left since, and what is repeated was posted. So a peer's name alone stands
 * for the address with its team's.
 */
async function isSameAudience(
  ctx: TeamContext<FeedServices>,
  stored: readonly string[],
  to: readonly string[] = ["*"],
): Promise<boolean> {
  if (to.some(isEveryone)) return stored.length === 1 && stored.some(isEveryone);
  const given = await nameKeys(ctx, to);
  const means = (entry: string, name: string) => {
    const [wanted, known] = [fold(entry), fold(name)];
    return wanted === known || known.endsWith(`/${wanted}`);
  };
  return (
    given.every((entry) => stored.some((name) => means(entry, name))) &&
    stored.every((name) => given.some((entry) => means(entry, name)))
  );
}

const sessionKeyForm = /^[A-Za-z0-9+/]{43}=$/;

/** Puts the address of its peer in the place of a session key. */
async function nameKeys(
  { services, session }: TeamContext<FeedServices>,
  to: readonly string[],
): Promise<string[]> {
  if (!to.some((entry) => sessionKeyForm.test(entry))) return [...to];
  const { orm, meshId } = services.database;
  const rows = await listPeers(orm, meshId, session.sessionId);
  const addresses = new Map(rows.map((row) => [row.sessionKey, addressOf(row)]));
  return to.map((entry) => addresses.get(entry) ?? entry);
}
