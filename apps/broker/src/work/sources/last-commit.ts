import { formatOf } from "./blob-hash.js";
import { readHead } from "./branch.js";
import { runGit } from "./git.js";
import type { Repository } from "./repository.js";

/** The commit that changed a file last. */
export interface LastCommit {
  readonly commit: string;
  readonly by: string;
  readonly at: string;
  readonly subject: string;
}

/** Looks through the history of the current commit for one that changed the file; null where there is none. */
export async function findLastCommit(repository: Repository, path: string): Promise<LastCommit | null> {
  const head = (await readHead(repository)).commit;
  if (head === null) return null;
  const { code, output } = await runGit(["rev-list", "-1", "--format=%H%n%an%n%ct%n%s", head, "--", path], {
    ...repository,
    format: formatOf(head),
    walksHistory: true,
  });
  // Above what is asked for Git writes a line of its own.
  const [, commit = "", by = "", at = "", ...subject] = output.toString("utf8").trimEnd().split("\n");
  if (code !== 0 || commit === "") return null;
  return { commit, by, at: new Date(Number(at) * 1_000).toISOString(), subject: subject.join(" ") };
}
