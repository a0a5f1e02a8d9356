import { saveLastRead } from "@merkle/db";
import type { ReaderContext } from "../context.js";
import type { PersonCaller } from "../sessions/access/credentials.js";
import { acknowledgeUpTo, offerUpTo } from "../sessions/peers/peer.js";

/**
 * Notes that a person has read up to a cursor, and returns how far that is then; the person's team acknowledges along,
 * and other browsers of the person are told. A person reads where and how it likes, so what it says that it has read
 * counts, whatever was handed out (PERSON-6).
 */
export async function noteReading(
  { services, session, team }: ReaderContext,
  { personId }: PersonCaller,
  cursor: number,
): Promise<number> {
  const { database, presence, mesh } = services;
  const { sessionId } = session;
  const lastRead = await saveLastRead(database.orm, { meshId: database.meshId, personId, sessionId }, cursor);
  if (team) {
    offerUpTo(team.peer, lastRead);
    acknowledgeUpTo(team.peer, lastRead);
    await presence.save(team.peer);
  }
  mesh.announceToPerson(personId, sessionId);
  return lastRead;
}
