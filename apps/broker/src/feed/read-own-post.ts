import { countMail, readLastReads, saveLastRead } from "@merkle/db";
import type { PersonCaller } from "../identity/credential.js";
import type { TeamContext } from "../sessions/context.js";
import type { FeedServices } from "./services.js";

/**
 * Moves a person's reading over what the person has just posted, when nothing for the person stands unread before it:
 * one's own words are no news (PERSON-6).
 */
export async function readOwnPost(
  ctx: TeamContext<FeedServices>,
  person: PersonCaller,
  posted: number,
): Promise<void> {
  const { database, mesh, log } = ctx.services;
  const { sessionId } = ctx.session;
  const { personId } = person;
  const { meshId } = database;
  const { peerId } = ctx.team.peer;
  try {
    const reads = await readLastReads(database.orm, meshId, personId, [sessionId]);
    const after = reads.get(sessionId) ?? 0;
    const unread = await countMail(database.orm, sessionId, { peerId, own: false }, { after, upTo: posted });
    if (unread > 0) return;
    await saveLastRead(database.orm, { meshId, personId, sessionId }, posted);
    mesh.announceToPerson(personId, sessionId);
  } catch (error) {
    // The message is posted, whatever becomes of this, and no reading is lost with it: own words are unread to nobody, and
    // the next ones, or the next reading, move it over these as well.
    log.warn("a person's reading could not be moved over their own post", { sessionId, error });
  }
}
