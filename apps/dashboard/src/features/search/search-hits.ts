import { type OutputOf, type SearchHit, type SearchKind, toSourceHref } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Broker } from "@/broker/broker";

export const kindLabels: Readonly<Record<SearchKind, string>> = {
  message: "Message",
  decision: "Decision",
  document: "Document",
  task: "Task",
  memory: "Memory",
  session: "Session",
  state: "State",
  progress: "Progress",
  topic: "Comment",
};

export const hitsMax = limits.searchHitsMax;

/**
 * Searches all data of the mesh.
 *
 * @throws MerkleError if the broker refuses, or the signal's reason if the signal is aborted
 */
export function fetchSearchHits(
  broker: Broker,
  query: string,
  { kinds = [], limit = hitsMax, signal }: FetchSearchOptions = {},
): Promise<OutputOf<"search">> {
  const kindFilter = kinds.length === 0 ? {} : { kinds: [...kinds] };
  return broker.call("search", { query, limit, ...kindFilter }, signal ? { signal } : {});
}

export interface FetchSearchOptions {
  /** The kinds of hit. Default: all kinds. */
  readonly kinds?: readonly SearchKind[];
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/**
 * Returns the page that shows a hit, such as its message, document, memory or state key.
 *
 * @param anySession - a session whose page can show the mesh's own state. Without it, hits in that state have no page.
 */
export function toHitHref(hit: SearchHit, anySession: string | null = null): string | null {
  const session = hit.session === null ? null : `/sessions/${hit.session}`;
  switch (hit.kind) {
    case "message":
    case "decision":
      return session && `${session}?m=${hit.sequence}`;
    case "document":
      return session && `${session}/doc`;
    case "task":
      return session && `${session}/tasks?task=${hit.task}`;
    case "session":
      return session;
    case "memory":
      return hit.memory_id && `/memory?id=${hit.memory_id}`;
    case "topic":
      return toSourceHref(hit, { topic: hit.topic_id });
    case "progress":
      return hit.progress_id && `/progress?p=${hit.progress_id}`;
    case "state": {
      const key = encodeURIComponent(hit.key ?? "");
      if (session) return `${session}/state?key=${key}`;
      return anySession && `/sessions/${anySession}/state?scope=mesh&key=${key}`;
    }
  }
}

/** Returns the title of a hit, on one line. */
export function describeHitTitle(hit: SearchHit): string {
  switch (hit.kind) {
    case "message":
    case "decision":
      return `${hit.title ?? hit.session ?? ""} #${hit.sequence}`;
    case "document":
      return `${hit.title ?? hit.session ?? ""}, document`;
    case "task":
      return `task ${hit.task} of ${hit.title ?? hit.session ?? ""}`;
    case "session":
      return hit.title ?? hit.session ?? "";
    case "memory":
      return hit.memory_id ?? "";
    case "state":
      return hit.key ?? "";
    case "topic":
      return hit.title ?? `topic ${hit.topic_id}`;
    case "progress":
      return hit.title ?? hit.progress_id ?? "";
  }
}

/** Returns where a hit is within its session, or which item it is. */
export function describeHitPlace(hit: SearchHit): string {
  switch (hit.kind) {
    case "message":
    case "decision":
      return `#${hit.sequence}`;
    case "document":
      return `version ${hit.version}`;
    case "task":
      return String(hit.task);
    case "session":
      return hit.session ?? "";
    default:
      return describeHitTitle(hit);
  }
}

/** Hits of the same kind whose texts are equal, best match first. */
export interface FoldedHits {
  readonly hit: SearchHit;
  readonly others: readonly SearchHit[];
}

/** The hits in one session, or those in no session. */
export interface HitGroup {
  /** Slug of the session. Null for hits in no session. */
  readonly session: string | null;
  readonly title: string | null;
  readonly rows: readonly FoldedHits[];
  readonly count: number;
}

/** Groups hits by session, in the order of each session's best hit. Within a session, equal hits are folded. */
export function groupHits(hits: readonly SearchHit[]): readonly HitGroup[] {
  const bySession = new Map<string | null, SearchHit[]>();
  for (const hit of hits) bySession.set(hit.session, [...(bySession.get(hit.session) ?? []), hit]);
  return [...bySession].map(([session, found]) => ({
    session,
    title: found.find(({ kind }) => sessionTitleKinds.has(kind))?.title ?? session,
    rows: foldHits(found),
    count: found.length,
  }));
}

/** The kinds whose title is the title of their session. */
const sessionTitleKinds: ReadonlySet<SearchKind> = new Set([
  "message",
  "decision",
  "document",
  "task",
  "session",
  "state",
]);

/** Folds equal hits, such as a report that an agent repeats, into the best of them. */
export function foldHits(hits: readonly SearchHit[]): readonly FoldedHits[] {
  const byText = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const text = `${hit.kind} ${hit.marked.replace(/[«»]/g, "")}`;
    byText.set(text, [...(byText.get(text) ?? []), hit]);
  }
  return [...byText.values()].flatMap(([hit, ...others]) => (hit ? [{ hit, others }] : []));
}
