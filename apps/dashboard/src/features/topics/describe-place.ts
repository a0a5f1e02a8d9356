import type { Topic } from "@merkle/wire";
import type { Revision } from "@/sessions/source";

/** Describes how the commented passage has changed. Null if it is unchanged. */
export function describePlace({ anchor, place }: Topic): string | null {
  if (anchor === null || place === null) return null;
  switch (place.found) {
    case "exact":
      return null;
    case "moved":
      return "moved with its text";
    case "reworded":
      return "text was reworded";
    case "lost":
      return "text not found";
  }
}

/** Returns a topic's position in the given revision of the text, in UTF-16 code units. Null if unknown. */
export function findPlaceIn(topic: Topic, revision: Revision): { start: number; end: number } | null {
  const { place } = topic;
  if (place === null || place.start === null || place.end === null) return null;
  // A position in another revision may be wrong in this revision.
  if ((place.version ?? place.hash) !== revision) return null;
  return { start: place.start, end: place.end };
}
