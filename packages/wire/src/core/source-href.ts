export interface FileLink {
  /** Path of the file in the form of `source_path`: `root/path`. */
  readonly file: string;
  /** Number of a proposal for the file that waits for a decision. */
  readonly proposal?: number | null;
  /** Number of a topic about the file. */
  readonly topic?: number | null;
  /** Name of the persona whose perspective to show. */
  readonly perspective?: string | null;
  /** True to show the file's jobs instead of its text. */
  readonly showsJobs?: boolean;
}

/** Returns the dashboard's path for a file. */
export function toFileHref(link: FileLink): string {
  const { file, proposal = null, topic = null, perspective = null, showsJobs = false } = link;
  // Slashes need no escaping in a query, and unescaped slashes keep the path readable.
  const path = encodeURIComponent(file).replaceAll("%2F", "/");
  const chosen = [
    ...(proposal === null ? [] : [`&proposal=${proposal}`]),
    ...(topic === null ? [] : [`&topic=${topic}`]),
    ...(perspective === null ? [] : [`&perspective=${encodeURIComponent(perspective)}`]),
    ...(showsJobs ? ["&jobs=1"] : []),
  ];
  return `/sources?file=${path}${chosen.join("")}`;
}
