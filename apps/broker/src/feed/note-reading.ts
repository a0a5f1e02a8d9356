import { saveLastRead } from "@merkle/db";
import type { PersonCaller } from "../identity/credential.js";
import type { ReaderContext } from "../sessions/context.js";
import { acknowledgeUpTo, offerUpTo } from "../sessions/peers/peer.js";
import type { FeedServices } from "./services.js";

/**
 * Notes that a person has read up to a cursor, and returns how far that is then; the person's team acknowledges along,
 * and other browsers of the person are told. A person reads where and how it likes, so what it says that it has read
 * counts, whatever was handed out (PERSON-6).
 */
export async function noteReading(
  { services, session, team }: ReaderContext<FeedServices>,
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
