import type { InputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

/** The URL parameters that select which memories are shown. */
export interface MemoryListChoice {
  readonly query: string;
  readonly tags: readonly string[];
  readonly by: string | null;
  readonly since: Since | null;
  readonly forgotten: boolean;
  /** Selects only memories older than this id. */
  readonly before: string | null;
}

export type Since = "day" | "week" | "month" | "year";

export const sinceLabels: Readonly<Record<Since, string>> = {
  day: "Last 24 hours",
  week: "Last 7 days",
  month: "Last 30 days",
  year: "Last 365 days",
};

const days: Readonly<Record<Since, number>> = { day: 1, week: 7, month: 30, year: 365 };

export const memoriesPerPage = 50;
/** The maximum number of search results. */
export const matchesMax = limits.memoriesPageMax;

/** Parses the choice from the URL. Ignores invalid values. */
export function toMemoryChoice(params: URLSearchParams): MemoryListChoice {
  const since = params.get("since");
  return {
    query: params.get("q")?.trim() ?? "",
    tags: toMemoryTags(params.get("tag") ?? ""),
    by: params.get("by"),
    since: since !== null && Object.hasOwn(days, since) ? (since as Since) : null,
    forgotten: params.get("forgotten") === "1",
    before: params.get("before"),
  };
}

/** True if the choice filters anything out. */
export function isNarrowed({ query, tags, by, since }: MemoryListChoice): boolean {
  return query !== "" || tags.length > 0 || by !== null || since !== null;
}

/** Parses comma-separated tags. They are lower-cased, as the broker stores them, and duplicates are dropped. */
export function toMemoryTags(text: string): readonly string[] {
  const tags = text.split(",").map((tag) => tag.trim().toLowerCase());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

/**
 * Returns the request that reads the chosen memories. With a search, the best matches come first and forgotten memories
 * are left out. Otherwise the newest memories come first.
 *
 * @param today - fixed per page, so that the same choice always results in the same request
 */
export function toMemoryRead(
  choice: MemoryListChoice,
  { session, today }: { readonly session: string | null; readonly today: Date },
):
  | { readonly recall: InputOf<"recall">; readonly list: null }
  | { readonly recall: null; readonly list: InputOf<"list_memory"> } {
  const filters = {
    ...(choice.tags.length === 0 ? {} : { tags: [...choice.tags] }),
    ...(choice.by === null ? {} : { by: choice.by }),
    ...(choice.since === null ? {} : { since: toStartTime(choice.since, today) }),
    ...(session === null ? {} : { session }),
  };
  if (choice.query !== "")
    return { recall: { ...filters, query: choice.query, limit: matchesMax }, list: null };
  return {
    recall: null,
    list: {
      ...filters,
      forgotten: choice.forgotten,
      limit: memoriesPerPage,
      ...(choice.before === null ? {} : { before: choice.before }),
    },
  };
}

function toStartTime(since: Since, today: Date): string {
  return new Date(today.getTime() - days[since] * 86_400_000).toISOString();
}

/**
 * Returns the cursor of the page that starts with this memory, such as `mem_13` for `mem_12`. Null if the text is not a memory
 * id.
 */
export function toCursorBefore(id: string): string | null {
  const number = /^mem_([1-9]\d{0,14})$/.exec(id)?.[1];
  return number === undefined ? null : `mem_${Number(number) + 1}`;
}
