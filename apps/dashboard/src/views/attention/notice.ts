import type { AttentionItem, Session } from "@merkle/wire";
import type { NotificationReason } from "@/core/preferences/preferences";
import { describeItem } from "./describe-item";
import { nameOfPlace, placeOfItem } from "./place-of-item";

/** Something to tell somebody who is not looking. */
export interface Notice {
  readonly id: string;
  readonly reason: NotificationReason;
  readonly title: string;
  readonly body: string;
  /** As what a tab announces that it shows that session or file. */
  readonly subjects: readonly string[];
  /** Where it happened, as a path of the dashboard. */
  readonly address: string;
}

/** What a person can be told of, each switched on by itself. */
export const noticeReasons: Readonly<Record<NotificationReason, string>> = {
  ask: "An agent asks humans something",
  proposal: "A text is proposed",
  job_failed: "An agent's job has failed",
  in_review: "A task waits to be reviewed",
  handed_back: "What an agent had claimed is handed back",
  blocked: "A peer declares itself blocked",
  held: "A session is held",
  budget_spent: "Agents have spent their message budget",
  budget_near: "Agents have nearly used up their tokens",
  quiet: "A session has gone quiet",
  concluded: "A session is concluded",
};

/** Names the session or file and the reason, as a notification must. */
export function toNotice(item: AttentionItem): Notice {
  const { who, what, quote } = describeItem(item);
  const said = who === null ? what : `${who} ${what}`;
  return {
    id: item.id,
    reason: item.kind,
    title: nameOfPlace(item),
    body: quote === null ? said : `${said}: “${quote}”`,
    subjects: item.session_id === null ? [item.source_path] : [item.session_id, item.session],
    address: placeOfItem(item),
  };
}

export function toConcludedNotice({ session_id, slug, title, conclusion }: Session): Notice {
  return {
    id: `concluded:${session_id}`,
    reason: "concluded",
    title,
    body: conclusion === null ? "Concluded" : `Concluded: ${conclusion}`,
    subjects: [session_id, slug],
    address: `/sessions/${slug}`,
  };
}

/** What has come and what is gone since the last look; notifications of the gone are withdrawn. */
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
