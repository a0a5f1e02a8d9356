import { MerkleError, parseSourcePath, type SourcePathParts } from "@merkle/wire";
import { commitFile, type FileCommit } from "./commit-file.js";
import { findLastCommit, type LastCommit, listCommitted } from "./committed.js";
import { GitError } from "./git.js";
import { type OpenSource, openSource } from "./open-source.js";
import { type GitHome, type Repository, withRepository } from "./repository.js";
import { NoSource, NotCurrent, RootProblem } from "./source-problems.js";

export interface ListedRoot {
  readonly root: string;
  /** Why this root's files cannot be used. Null if they can be used. */
  readonly problem: string | null;
  readonly paths: readonly string[];
  /** True if the root has more files than are listed. */
  readonly isTruncated: boolean;
}

/** The files under the roots that a mesh may work on. */
export interface Sources {
  /** Whether accepted proposals can be committed. */
  readonly canCommit: boolean;
  /** The names of the roots. */
  readonly roots: readonly string[];
  list(): Promise<readonly ListedRoot[]>;
  /**
   * Opens a file.
   *
   * @throws not_found, with the reason
   */
  open(source: SourcePathParts): Promise<OpenSource>;
  /** Returns the last commit that changed a file, or null if Git does not find it in time. */
  lastCommit(source: SourcePathParts): Promise<LastCommit | null>;
  /** Returns the folder of a root, for the agent that works on its files. */
  findFolder(root: string): string | null;
  /**
   * Commits a file's new text with the agent as author, and returns the commit; see `commitFile`. Commits
   * run one after another, across all roots.
   *
   * @throws conflict if nothing was done
   */
  commit(source: SourcePathParts, commit: Omit<FileCommit, "path" | "author">): Promise<{ commit: string }>;
  /**
   * Waits for all running Git processes, including those started for callers that have disconnected. Starts no
   * new processes.
   */
  stop(): Promise<void>;
}

/** Used for a mesh without roots. */
export const noSources: Sources = createSources({ home: "" });

export interface SourcesOptions extends GitHome {
  /**
   * Folders whose files may be worked on, by root name. Each is the top folder of a Git repository.
   * Default: none.
   */
  readonly roots?: Readonly<Record<string, string>> | undefined;
  /** The author of commits for accepted proposals. If not set, proposals for files cannot be accepted. */
  readonly author?: { readonly name: string; readonly email: string } | undefined;
}

export function createSources({ roots = {}, author, ...gitHome }: SourcesOptions): Sources {
  const folders = new Map(Object.entries(roots));
  const working = new Set<Promise<unknown>>();
  let isStopped = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function withRoot<Result>(
    root: string,
    work: (repository: Repository) => Promise<Result>,
  ): Promise<Result> {
    const folder = folders.get(root);
    if (folder === undefined) throw new NoSource(`This broker has no root ${root}.`);
    if (isStopped) throw new NoSource("The broker is stopping.");
    const running = withRepository(folder, gitHome, work);
    working.add(running);
    try {
      return await running;
    } finally {
      working.delete(running);
    }
  }

  async function listRoot(root: string): Promise<ListedRoot> {
    try {
      const { files, isTruncated } = await withRoot(root, listCommitted);
      const paths = files.map(({ path }) => path).filter((path) => parseSourcePath(`${root}/${path}`));
      return { root, problem: null, paths, isTruncated };
    } catch (error) {
      if (!(error instanceof RootProblem || error instanceof GitError)) throw error;
      return { root, problem: error.message, paths: [], isTruncated: false };
    }
  }

  return {
    canCommit: author !== undefined,
    roots: [...folders.keys()],
    findFolder: (root) => folders.get(root) ?? null,
    list: () => Promise.all([...folders.keys()].map(listRoot)),
    async open({ root, path }) {
      try {
        return await withRoot(root, (repository) => openSource(repository, path));
      } catch (error) {
        throw isKnown(error) ? unreadable({ root, path }, error) : error;
      }
    },
    async lastCommit({ root, path }) {
      try {
        return await withRoot(root, (repository) => findLastCommit(repository, path));
      } catch (error) {
        if (isKnown(error)) return null;
        throw error;
      }
    },
    async commit({ root, path }, commit) {
      if (!author) throw nobodyToCommitAs();
      const work = turn.then(() =>
        withRoot(root, (repository) => commitFile(repository, { ...commit, path, author })),
      );
      turn = work.catch(() => undefined);
      try {
        return await work;
      } catch (error) {
        throw isKnown(error) ? notCommitted({ root, path }, error) : error;
      }
    },
    async stop() {
      isStopped = true;
      await Promise.allSettled(working);
    },
  };
}

function isKnown(error: unknown): error is Error {
  return (
    error instanceof NoSource ||
    error instanceof RootProblem ||
    error instanceof GitError ||
    error instanceof NotCurrent
  );
}

function unreadable({ root, path }: SourcePathParts, cause: Error): MerkleError {
  return new MerkleError("not_found", `${root}/${path} cannot be read: ${cause.message}`, {}, { cause });
}

function notCommitted({ root, path }: SourcePathParts, cause: Error): MerkleError {
  const source_path = `${root}/${path}`;
  return new MerkleError(
    "conflict",
    `${source_path} was not written: ${cause.message}`,
    { source_path },
    { cause },
  );
}

function nobodyToCommitAs(): MerkleError {
  return new MerkleError(
    "conflict",
    "No commit author is set. Set agent.author_name and agent.author_email in the broker's config.json, then restart the broker.",
  );
}
