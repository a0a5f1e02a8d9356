import { limits } from "@merkle/wire/limits";
import { toObjectFormat } from "./blob-hash.js";
import { readHead } from "./branch.js";
import { runGit } from "./git.js";
import type { Repository } from "./repository.js";

/** A file in the current commit. */
export interface CommittedFile {
  readonly path: string;
  readonly hash: string;
  readonly isExecutable: boolean;
}

/**
 * Finds the file at exactly this path in a commit. Returns null if the path does not exist, or is a link,
 * folder or submodule.
 */
export async function findCommitted(
  repository: Repository,
  commit: string,
  path: string,
): Promise<CommittedFile | null> {
  const run = { ...repository, format: toObjectFormat(commit) };
  const { code, output } = await runGit(["ls-tree", "-z", "--full-tree", commit, "--", path], run);
  if (code !== 0) return null;
  return toFiles(output).find((each) => each.path === path) ?? null;
}

const listBytesMax = 4 * 1024 * 1024;

/**
 * Lists the files in the current commit by path, until the list reaches a limit in bytes. Leaves out files that
 * are too large or appear to be binary.
 */
export async function listCommitted(
  repository: Repository,
): Promise<{ readonly files: readonly CommittedFile[]; readonly isTruncated: boolean }> {
  const { commit } = await readHead(repository);
  // A repository without commits has no files.
  if (commit === null) return { files: [], isTruncated: false };
  const { code, output, isTruncated } = await runGit(["ls-tree", "-r", "-z", "-l", "--full-tree", commit], {
    ...repository,
    format: toObjectFormat(commit),
    outputBytesMax: listBytesMax,
  });
  if (code !== 0 && !isTruncated) return { files: [], isTruncated: false };
  return { files: toFiles(output).filter(({ path }) => !binaryFileName.test(path)), isTruncated };
}

/** Parses the output of `git ls-tree -z`. Skips entries that are not regular files. */
export function toFiles(output: Buffer): CommittedFile[] {
  // The last entry may have been cut off by the output limit, and then has no NUL after it.
  return output.toString("utf8").split("\0").slice(0, -1).flatMap(toFile);
}

function toFile(line: string): CommittedFile[] {
  const match = /^(100644|100755) blob ([0-9a-f]{40,64})(?: +(\d+))?\t(.+)$/su.exec(line);
  if (!match) return [];
  const [mode, hash = "", bytes = "0", path = ""] = match.slice(1);
  // Clients cannot request a path that is not valid UTF-8.
  if (Number(bytes) > limits.documentBytesMax || path.includes("\ufffd")) return [];
  return [{ path, hash, isExecutable: mode === "100755" }];
}

const binaryFileName =
  /\.(?:7z|avif|bin|bmp|bz2|class|dll|dylib|eot|exe|gif|gz|icns|ico|jar|jpe?g|mov|mp[34]|o|ogg|otf|pdf|png|so|tar|tiff?|ttf|wasm|wav|webm|webp|woff2?|xz|zip|zst)$/i;

/** The last commit that changed a file. */
export interface LastCommit {
  readonly commit: string;
  readonly by: string;
  readonly at: string;
  readonly subject: string;
}

/**
 * Searches the history of the current commit for the last commit that changed the file. Returns null if there
 * is none.
 */
export async function findLastCommit(repository: Repository, path: string): Promise<LastCommit | null> {
  const head = (await readHead(repository)).commit;
  if (head === null) return null;
  const { code, output } = await runGit(["rev-list", "-1", "--format=%H%n%an%n%ct%n%s", head, "--", path], {
    ...repository,
    format: toObjectFormat(head),
    walksHistory: true,
  });
  // Git prints a header line before the output in the requested format.
  const [, commit = "", by = "", at = "", ...subject] = output.toString("utf8").trimEnd().split("\n");
  if (code !== 0 || commit === "") return null;
  return { commit, by, at: new Date(Number(at) * 1_000).toISOString(), subject: subject.join(" ") };
}
