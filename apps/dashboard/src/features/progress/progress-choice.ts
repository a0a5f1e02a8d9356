import type { InputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

/** The URL parameters that select which progress entries are shown. */
export interface ProgressChoice {
  readonly text: string;
  readonly project: string | null;
  readonly tags: readonly string[];
  readonly by: string | null;
  /** Days in the format of a date field. */
  readonly from: string | null;
  readonly to: string | null;
  /** Selects only entries older than this id. */
  readonly before: string | null;
}

export const entriesPerPage = 30;

/** Values of the URL parameters that remove all filters. */
export const nothingChosen = {
  q: null,
  project: null,
  tag: null,
  by: null,
  from: null,
  to: null,
  before: null,
};

/** Parses the choice from the URL. Ignores invalid values. */
export function toProgressChoice(params: URLSearchParams): ProgressChoice {
  const before = params.get("before");
  return {
    text: params.get("q")?.trim() ?? "",
    project: params.get("project")?.trim() || null,
    tags: toProgressTags(params.get("tag") ?? ""),
    by: params.get("by")?.trim() || null,
    from: toDay(params.get("from")),
    to: toDay(params.get("to")),
    before: before !== null && isEntryId(before) ? before : null,
  };
}

/** True if the choice filters anything out. The chosen project does not count as a filter. */
export function isNarrowed({ text, tags, by, from, to }: ProgressChoice): boolean {
  return text !== "" || tags.length > 0 || by !== null || from !== null || to !== null;
}

/** Returns the request that reads a page of the chosen entries. */
export function toProgressRead(choice: ProgressChoice, session: string | null): InputOf<"list_progress"> {
  const { text, project, tags, by, from, to, before } = choice;
  return {
    limit: entriesPerPage,
    ...(session === null ? {} : { session }),
    ...(text === "" ? {} : { text }),
    ...(project === null ? {} : { projectId: project }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(by === null ? {} : { by }),
    ...(from === null ? {} : { startDate: from }),
    ...(to === null ? {} : { endDate: to }),
    ...(before === null ? {} : { before }),
  };
}

/** Parses comma-separated tags. If tags differ only in case, the first is kept. */
export function toProgressTags(text: string): readonly string[] {
  const tagsByKey = new Map<string, string>();
  for (const tag of text.split(",").map((each) => each.trim())) {
    if (tag !== "" && !tagsByKey.has(tag.toLowerCase())) tagsByKey.set(tag.toLowerCase(), tag);
  }
  return [...tagsByKey.values()].slice(0, limits.progressTagsMax);
}

export function isEntryId(text: string): boolean {
  return /^[0-9A-Za-z_-]{12}$/.test(text);
}

function toDay(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const at = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text ? null : text;
}
