import type { OutputOf } from "@merkle/wire";
import { rankOf } from "./rank";

export type PaletteKind = "session" | "person" | "page" | "action" | "task" | "message";

/** Something that the palette can lead to or do, known without asking the broker. */
export interface PaletteEntry {
  readonly key: string;
  readonly kind: PaletteKind;
  readonly label: string;
  /** Said beside it: the session of a person or task, that a session is closed. */
  readonly note: string;
  /** Further words by which it is found. */
  readonly words?: readonly string[];
  readonly href?: string;
  readonly run?: () => void;
}

export interface PaletteSources {
  /** The sessions in which something happened last, the newest first. */
  readonly sessions: OutputOf<"list_sessions">["sessions"];
  readonly tasks: OutputOf<"list_all_tasks">["tasks"];
}

/** Sessions, the people in them and their unfinished tasks, each once. */
export function toEntries({ sessions, tasks }: PaletteSources): readonly PaletteEntry[] {
  const people = new Map<string, PaletteEntry>();
  for (const { slug, title, present } of sessions) {
    for (const { team_name: name } of present) {
      // Of the sessions somebody is in the newest stands first, and is where they are.
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
        words: [slug],
        href: `/sessions/${slug}`,
      }),
    ),
    ...people.values(),
    ...tasks.map(
      ({ task, title, session, session_title, labels }): PaletteEntry => ({
        key: `task ${session} ${task}`,
        kind: "task",
        label: title,
        note: `task ${task} of ${session_title}`,
        words: labels,
        href: `/sessions/${session}/tasks?task=${task}`,
      }),
    ),
  ];
}

/** Of entries that match equally well these come first. */
const kindsInOrder: readonly PaletteKind[] = ["message", "session", "person", "page", "action", "task"];
const shownMax = 10;

/** The entries that match what was typed, the best first. */
export function findEntries(entries: readonly PaletteEntry[], query: string): readonly PaletteEntry[] {
  return entries
    .flatMap((entry) => {
      const rank = rankOf(query, entry.label, entry.words);
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
