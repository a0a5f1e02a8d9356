import type { InputOf } from "@merkle/wire";

/** The query of the session list, from the URL (`?state=open&q=&team=&needs=1&sort=`). */
export interface SessionQuery {
  readonly state: "open" | "closed" | "all";
  readonly q: string;
  readonly team: string;
  readonly needs: boolean;
  readonly sort: SessionListSort;
}

export type SessionListSort = "needs" | "said" | "activity" | "created" | "title";

export const sortLabels: Readonly<Record<SessionListSort, string>> = {
  needs: "Needs you, then recent",
  said: "Recent messages",
  activity: "Last activity",
  created: "Newest",
  title: "Title",
};

/** Parses the URL's parameters. Invalid values get their defaults. */
export function parseSessionQuery(parameter: (name: string) => string | null): SessionQuery {
  const state = parameter("state");
  const sort = parameter("sort");
  return {
    state: state === "closed" || state === "all" ? state : "open",
    q: parameter("q") ?? "",
    team: parameter("team") ?? "",
    needs: parameter("needs") === "1",
    sort: isSort(sort) ? sort : "needs",
  };
}

function isSort(text: string | null): text is SessionListSort {
  return text !== null && Object.hasOwn(sortLabels, text);
}

/** Converts the query to the input of `list_sessions`, without a cursor. */
export function toListInput({ state, q, team, needs, sort }: SessionQuery): InputOf<"list_sessions"> {
  return {
    status: state,
    sort: sort === "needs" ? "said" : sort,
    ...(q === "" ? {} : { query: q }),
    ...(team === "" ? {} : { team }),
    ...(needs ? { needs: true } : {}),
  };
}

/** True if the query filters by more than the state. An empty list then does not mean an empty mesh. */
export function isNarrowed({ q, team, needs }: SessionQuery): boolean {
  return q !== "" || team !== "" || needs;
}
