import {
  type AlertKind,
  type AttentionItem,
  describeItemSource,
  formatItemSentence,
  listAlertKinds,
  type Session,
  toItemHref,
} from "@merkle/wire";

/** A desktop notification, for a person who is not looking at the page. */
export interface Notice {
  readonly id: string;
  /** The kinds of alerts that cover it. It is shown if the person chose one of them. */
  readonly reasons: readonly AlertKind[];
  readonly title: string;
  readonly body: string;
  /** Names of the session or file. A tab announces one of these names while it shows the session or file. */
  readonly subjects: readonly string[];
  /** The page to open, as a path of the dashboard. */
  readonly address: string;
}

/** Converts an item to a notification, which names the session or file and the reason. */
export function toNotice(item: AttentionItem): Notice {
  return {
    id: item.id,
    reasons: listAlertKinds(item),
    title: describeItemSource(item),
    body: formatItemSentence(item),
    subjects: item.session_id === null ? [describeItemSource(item)] : [item.session_id, item.session],
    address: toItemHref(item),
  };
}

export function toConcludedNotice({ session_id, slug, title, conclusion }: Session): Notice {
  return {
    id: `concluded:${session_id}`,
    reasons: ["concluded"],
    title,
    body: conclusion === null ? "Concluded" : `Concluded: ${conclusion}`,
    subjects: [session_id, slug],
    address: `/sessions/${slug}`,
  };
}

/**
 * Compares the current notices with the previous ones. Returns the new notices, and the notices that no longer exist.
 */
export function compareNotices(
  before: ReadonlyMap<string, Notice>,
  now: readonly Notice[],
): { readonly come: readonly Notice[]; readonly gone: readonly Notice[] } {
  const ids = new Set(now.map(({ id }) => id));
  return {
    come: now.filter(({ id }) => !before.has(id)),
    gone: [...before.values()].filter(({ id }) => !ids.has(id)),
  };
}
