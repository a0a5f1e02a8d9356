export interface SourcePlace {
  /** As `source_path` names it: a root, a slash and the path in it. */
  readonly file: string;
  /** The number of a proposal for it, to be decided about. */
  readonly proposal?: number | null;
  /** The number of a topic on it. */
  readonly topic?: number | null;
  /** As whom it is looked at. */
  readonly perspective?: string | null;
  /** Its jobs, in place of its text. */
  readonly jobs?: boolean;
}

/** Where a file is looked at, as a path of the dashboard. */
export function sourceHref(place: SourcePlace): string {
  const { file, proposal = null, topic = null, perspective = null, jobs = false } = place;
  // A query may hold slashes as they are, and with them a path can be read.
  const path = encodeURIComponent(file).replaceAll("%2F", "/");
  const chosen = [
    ...(proposal === null ? [] : [`&proposal=${proposal}`]),
    ...(topic === null ? [] : [`&topic=${topic}`]),
    ...(perspective === null ? [] : [`&perspective=${encodeURIComponent(perspective)}`]),
    ...(jobs ? ["&jobs=1"] : []),
  ];
  return `/sources?file=${path}${chosen.join("")}`;
}
