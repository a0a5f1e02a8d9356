import { listConcludedSessions } from "@merkle/db";
import { type AlertContent, type AlertKind, nameOfPlace, placeOfItem, sentenceOfItem } from "@merkle/wire";
import { type FactServices, readFacts } from "../../views/attention/facts.js";
import { toItems } from "../../views/attention/list-attention.js";
import { readPutAway } from "../../views/attention/put-away.js";

/** That a session was concluded can be told for so long. */
const concludedMs = 24 * 60 * 60 * 1000;

/** Something that a person can be told of, as it is now. */
export type AlertItem = AlertContent & { readonly kind: AlertKind };

export interface AlertItems {
  /** Everything that there is. */
  readonly there: readonly string[];
  /** Those of them that the person has not put away. */
  readonly items: readonly AlertItem[];
}

/** The ids of all that anybody in a mesh could be told of. */
export async function readAlertIds(services: FactServices, now: Date): Promise<string[]> {
  const [facts, concluded] = await Promise.all([
    readFacts(services, { personId: null, approvals: "everybody's" }),
    readConcluded(services, now),
  ]);
  return [...facts, ...concluded].map(({ id }) => id);
}

/**
 * The things that a person can be told of: the items that wait for the person (ATT-1), and sessions concluded within a day. There is no other
 * source: what is no longer there is not told.
 */
export async function readAlertItems(
  services: FactServices,
  personId: string,
  now: Date,
): Promise<AlertItems> {
  const [facts, putAway, concluded] = await Promise.all([
    readFacts(services, { personId, approvals: "own" }),
    readPutAway(services, personId),
    readConcluded(services, now),
  ]);
  const shown = await toItems(
    services,
    facts.filter(({ id }) => !putAway.has(id)),
    putAway,
  );
  const waiting = shown.map((item) => ({
    id: item.id,
    kind: item.kind,
    title: nameOfPlace(item),
    body: sentenceOfItem(item),
    path: placeOfItem(item),
  }));
  return { there: [...facts, ...concluded].map(({ id }) => id), items: [...waiting, ...concluded] };
}

async function readConcluded({ database }: FactServices, now: Date): Promise<AlertItem[]> {
  const { orm, meshId } = database;
  const sessions = await listConcludedSessions(orm, meshId, new Date(now.getTime() - concludedMs));
  return sessions.map(({ sessionId, slug, title, since }) => ({
    id: `concluded:${sessionId}:${since.getTime()}`,
    kind: "concluded",
    title,
    body: "Concluded",
    path: `/sessions/${slug}`,
  }));
}
