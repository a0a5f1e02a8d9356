import { listConcludedSessions } from "@merkle/db";
import {
  type AlertContent,
  type AlertKind,
  describeItemSource,
  formatItemSentence,
  listAlertKinds,
  toItemHref,
} from "@merkle/wire";
import { type FactServices, listFactIds, readFacts } from "../../views/attention/facts.js";
import { toItems } from "../../views/attention/list-attention.js";
import { readDismissals } from "../../views/attention/put-away.js";

/** How long after its conclusion a session still triggers alerts. */
const concludedMs = 24 * 60 * 60 * 1000;

/** An item that a person can be alerted about, with its current content. */
export interface AlertItem {
  /** The kinds of alerts that cover it. */
  readonly kinds: readonly AlertKind[];
  readonly content: AlertContent;
}

/** Returns the alerts for items that at least one of the chosen kinds covers. */
export function selectAlerts(items: readonly AlertItem[], about: readonly string[]): AlertContent[] {
  return items
    .filter(({ kinds }) => kinds.some((kind) => about.includes(kind)))
    .map(({ content }) => content);
}

export interface AlertItems {
  /** Ids of all items, including dismissed ones. */
  readonly allIds: readonly string[];
  /** The items that the person has not dismissed. */
  readonly items: readonly AlertItem[];
}

/** Returns the ids of all items that anyone in a mesh could be alerted about. */
export async function readAlertIds(services: FactServices, now: Date): Promise<string[]> {
  const [facts, concluded] = await Promise.all([
    readFacts(services, { personId: null, approvals: "everybody's" }),
    listConcludedAlerts(services, now),
  ]);
  return [...listFactIds(facts), ...concluded.map(({ content }) => content.id)];
}

/**
 * Returns the items that a person can be alerted about: items waiting for the person (ATT-1), and sessions
 * concluded within the last day. All alerts come from these items, so an item that no longer exists
 * triggers no alert.
 */
export async function readAlertItems(
  services: FactServices,
  personId: string,
  now: Date,
): Promise<AlertItems> {
  const [facts, putAway, concluded] = await Promise.all([
    readFacts(services, { personId, approvals: "own" }),
    readDismissals(services, personId),
    listConcludedAlerts(services, now),
  ]);
  const shown = await toItems(
    services,
    facts.filter(({ id }) => !putAway.has(id)),
    putAway,
  );
  const waiting = shown.map((item) => ({
    kinds: listAlertKinds(item),
    content: {
      id: item.id,
      kind: item.kind,
      title: describeItemSource(item),
      body: formatItemSentence(item),
      path: toItemHref(item),
    },
  }));
  const allIds = [...listFactIds(facts), ...concluded.map(({ content }) => content.id)];
  return { allIds, items: [...waiting, ...concluded] };
}

async function listConcludedAlerts({ database }: FactServices, now: Date): Promise<AlertItem[]> {
  const { orm, meshId } = database;
  const sessions = await listConcludedSessions(orm, meshId, new Date(now.getTime() - concludedMs));
  return sessions.map(({ sessionId, slug, title, since }) => ({
    kinds: ["concluded"],
    content: {
      id: `concluded:${sessionId}:${since.getTime()}`,
      kind: "concluded",
      title,
      body: "Concluded",
      path: `/sessions/${slug}`,
    },
  }));
}
