import { limits } from "@merkle/wire/limits";
import { formatOf } from "./blob-hash.js";
import { readHead } from "./branch.js";
import { runGit } from "./git.js";
import type { Repository } from "./repository.js";

/** A file as the current commit has it. */
export interface Committed {
  readonly path: string;
  readonly hash: string;
  readonly executable: boolean;
}

/** The file at exactly this path in a commit, or null: where there is none, or a link, folder or submodule. */
export async function findCommitted(
  repository: Repository,
  commit: string,
  path: string,
): Promise<Committed | null> {
  const run = { ...repository, format: formatOf(commit) };
  const { code, output } = await runGit(["ls-tree", "-z", "--full-tree", commit, "--", path], run);
  if (code !== 0) return null;
  return toFiles(output).find((each) => each.path === path) ?? null;
}

const listBytesMax = 4 * 1024 * 1024;

/**
 * The files of the current commit in the order of their paths, as many as there are in a list of so many bytes. Those that are
 * too large, and those that look like no text, are not among them.
 */
export async function listCommitted(
  repository: Repository,
): Promise<{ readonly files: readonly Committed[]; readonly cut: boolean }> {
  const { commit } = await readHead(repository);
  // A repository without a commit has no files.
  if (commit === null) return { files: [], cut: false };
  const { code, output, cut } = await runGit(["ls-tree", "-r", "-z", "-l", "--full-tree", commit], {
    ...repository,
    format: formatOf(commit),
    outputBytesMax: listBytesMax,
  });
  if (code !== 0 && !cut) return { files: [], cut: false };
  return { files: toFiles(output).filter(({ path }) => !looksBinary.test(path)), cut };
}

/** Reads a listing by `git ls-tree -z`; entries that are no ordinary files are left out. */
export function toFiles(output: Buffer): Committed[] {
  // An entry that was cut off stands behind the last NUL.
  return output.toString("utf8").split("\0").slice(0, -1).flatMap(toFile);
}

function toFile(line: string): Committed[] {
  const match = /^(100644|100755) blob ([0-9a-f]{40,64})(?: +(\d+))?\t(.+)$/su.exec(line);
  if (!match) return [];
  const [mode, hash = "", bytes = "0", path = ""] = match.slice(1);
  // A name that is not UTF-8 cannot be asked for.
  if (Number(bytes) > limits.documentBytesMax || path.includes("\ufffd")) return [];
  return [{ path, hash, executable: mode === "100755" }];
}

const looksBinary =
  /\.(?:7z|avif|bin|bmp|bz2|class|dll|dylib|eot|exe|gif|gz|icns|ico|jar|jpe?g|mov|mp[34]|o|ogg|otf|pdf|png|so|tar|tiff?|ttf|wasm|wav|webm|webp|woff2?|xz|zip|zst)$/i;

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
