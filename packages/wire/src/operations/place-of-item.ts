import { toSourceHref } from "../core/place-href.js";
import { toFileHref } from "../core/source-href.js";
import type { AttentionItem } from "./attention.js";

/**
 * Returns the dashboard's path for an item. For an ask, the path opens the message. For a proposal, it opens
 * the page on which people decide on the proposal.
 */
export function toItemHref(item: AttentionItem): string {
  const { kind, session, sequence, number } = item;
  if (kind === "approval") return "/approvals";
  if (kind === "proposal") return toSourceHref(item, { proposal: number });
  if (item.kind === "quota_near") return "/settings#meshes";
  if (item.session_id === null) return toFileHref({ file: item.source_path, showsJobs: true });
  const home = `/sessions/${session}`;
  if (kind === "job_failed") return `${home}/jobs`;
  if (kind === "in_review" || kind === "handed_back")
    return number === null ? `${home}/tasks` : `${home}/tasks?task=${number}`;
  if (kind === "undelivered") return `/?undelivered=${session}`;
  return sequence === null ? home : `${home}?m=${sequence}`;
}

/** Returns the name of the place that an item belongs to: a session's title, a file's path, or the mesh. */
export function describeItemSource(item: AttentionItem): string {
  if (item.session_id !== null) return item.session_title;
  return item.source_path ?? "the mesh";
}
