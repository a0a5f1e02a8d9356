import { countUnread, readFeedHeads } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { PersonReaderContext } from "../sessions/context.js";
import { refuseBeyondEnd } from "./cursors.js";
import { noteReading } from "./note-reading.js";
import type { FeedServices } from "./services.js";

/** Notes how far a person has read in a session, in it or not, and says how much is left (READ-1). */
export async function markRead(
  ctx: PersonReaderContext<FeedServices>,
  input: ParsedInputOf<"mark_read">,
): Promise<OutputOf<"mark_read">> {
  const { database, channels } = ctx.services;
  const { sessionId } = ctx.session;
  const { personId } = ctx.person;
  const cursor = input.cursor ?? (await readHead(ctx));
  await refuseBeyondEnd(ctx, "cursor", cursor, channels.find(sessionId)?.head ?? 0);
  const lastRead = await noteReading(ctx, ctx.person, cursor);
  const unread = await countUnread(database.orm, { meshId: database.meshId, personId }, [sessionId]);
  return { last_read: lastRead, unread: unread.get(sessionId) ?? 0 };
}

async function readHead({ services, session }: PersonReaderContext<FeedServices>): Promise<number> {
  const [head] = await readFeedHeads(services.database.orm, [session.sessionId]);
  return head?.lastSequence ?? 0;
}
