import type { Revision } from "@/sessions/source";
import type { Topic } from "./use-topics";

/** Describes how the commented passage changed; null if it is unchanged. */
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

/** A topic's place in this state of the text, in UTF-16 units; null if the place is unknown. */
export function placeIn(topic: Topic, revision: Revision): { start: number; end: number } | null {
  const { place } = topic;
  if (place === null || place.start === null || place.end === null) return null;
  // A place that was found in another text may be anywhere in this one.
  if ((place.version ?? place.hash) !== revision) return null;
  return { start: place.start, end: place.end };
}
