import type { OutputOf } from "@merkle/wire";
import type { PaletteEntry, PaletteKind } from "@/parts/feature";
import { rankMatch } from "./rank";

/** Returns entries for sessions, newest first, and for the people in them, without duplicates. */
export function toEntries(sessions: OutputOf<"list_sessions">["sessions"]): readonly PaletteEntry[] {
  const people = new Map<string, PaletteEntry>();
  for (const { slug, title, present } of sessions) {
    for (const { team_name: name } of present) {
      // Sessions are sorted newest first, so a person's entry links to the person's newest session.
      if (!people.has(name)) {
        const href = `/sessions/${slug}?team=${encodeURIComponent(name)}`;
        people.set(name, { key: `person ${name}`, kind: "person", label: name, note: `in ${title}`, href });
      }
    }
  }
  return [
    ...sessions.map(
      ({ slug, title, status }): PaletteEntry => ({
        key: `session ${slug}`,
        kind: "session",
        label: title,
        note: status === "closed" ? "closed" : "",
        keywords: [slug],
        href: `/sessions/${slug}`,
      }),
    ),
    ...people.values(),
  ];
}

/** The order in which equally good matches are listed, by kind. */
const kindsInOrder: readonly PaletteKind[] = ["message", "session", "person", "page", "action", "task"];
const shownMax = 10;

/** Returns the entries that match the query, best match first. */
export function findEntries(entries: readonly PaletteEntry[], query: string): readonly PaletteEntry[] {
  return entries
    .flatMap((entry) => {
      const rank = rankMatch(query, entry.label, entry.keywords);
      return rank === 0 ? [] : [{ entry, rank }];
    })
    .sort(
      (one, other) =>
        other.rank - one.rank ||
        kindsInOrder.indexOf(one.entry.kind) - kindsInOrder.indexOf(other.entry.kind),
    )
    .slice(0, shownMax)
    .map(({ entry }) => entry);
}
