import { type OutputOf, type SearchHit, type SearchKind, toSourceHref } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Broker } from "@/broker/broker";

export const kindLabels: Readonly<Record<SearchKind, string>> = {
  message: "Message",
  decision: "Decision",
  document: "Document",
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
