import { MerkleError, parseSourcePath, type SourcePathParts } from "@merkle/wire";
import { commitFile, type FileCommit } from "./commit-file.js";
import { findLastCommit, type LastCommit, listCommitted } from "./committed.js";
import { GitError } from "./git.js";
import { type OpenSource, openSource } from "./open-source.js";
import { type GitHome, type Repository, withRepository } from "./repository.js";
import { NoSource, NotCurrent, RootProblem } from "./source-problems.js";

export interface ListedRoot {
  readonly root: string;
  /** Why its files cannot be worked on; null where they can. */
  readonly problem: string | null;
  readonly paths: readonly string[];
  /** There are more than are listed. */
  readonly cut: boolean;
}

/** The files under the roots that a mesh may work on. */
export interface Sources {
  /** Whether what is accepted can be committed. */
  readonly canCommit: boolean;
  /** The names of the roots. */
  readonly roots: readonly string[];
  list(): Promise<readonly ListedRoot[]>;
  /** @throws not_found, with the reason */
  open(source: SourcePathParts): Promise<OpenSource>;
  /** The commit that changed a file last; null where Git does not say so in time. */
  lastCommit(source: SourcePathParts): Promise<LastCommit | null>;
  /** The folder of a file's root, as its agent is told. */
  folderOf(root: string): string | null;
  /**
   * Commits a file's new text as the agent's, and returns the commit; see `commitFile`. Those of one root come one after the other.
   *
   * @throws conflict, and then nothing was done
   */
  commit(source: SourcePathParts, commit: Omit<FileCommit, "path" | "author">): Promise<{ commit: string }>;
  /** Resolves when no Git runs any more, also for callers that have gone; none is started then. */
  stop(): Promise<void>;
}

/** For a mesh that no root is for. */
export const noSources: Sources = createSources({ home: "" });

export interface SourcesOptions extends GitHome {
  /** Folders with a Git repository each, by the names of their roots, in which files may be worked on; none by default. */
  readonly roots?: Readonly<Record<string, string>> | undefined;
  /** The author of accepted proposals that are committed; without it none can be. */
  readonly author?: { readonly name: string; readonly email: string } | undefined;
}

export function createSources({ roots = {}, author, ...gitHome }: SourcesOptions): Sources {
  const folders = new Map(Object.entries(roots));
  const working = new Set<Promise<unknown>>();
  let stopped = false;
  let turn: Promise<unknown> = Promise.resolve();

  async function inRoot<Result>(
    root: string,
    work: (repository: Repository) => Promise<Result>,
  ): Promise<Result> {
    const folder = folders.get(root);
    if (folder === undefined) throw new NoSource(`This broker has no root ${root}.`);
    if (stopped) throw new NoSource("The broker is stopping.");
    const worked = withRepository(folder, gitHome, work);
    working.add(worked);
    try {
      return await worked;
    } finally {
      working.delete(worked);
    }
  }

  async function listRoot(root: string): Promise<ListedRoot> {
    try {
      const { files, cut } = await inRoot(root, listCommitted);
      const paths = files.map(({ path }) => path).filter((path) => parseSourcePath(`${root}/${path}`));
      return { root, problem: null, paths, cut };
    } catch (error) {
      if (!(error instanceof RootProblem || error instanceof GitError)) throw error;
      return { root, problem: error.message, paths: [], cut: false };
    }
  }

  return {
    canCommit: author !== undefined,
    roots: [...folders.keys()],
    folderOf: (root) => folders.get(root) ?? null,
    list: () => Promise.all([...folders.keys()].map(listRoot)),
    async open({ root, path }) {
      try {
        return await inRoot(root, (repository) => openSource(repository, path));
      } catch (error) {
        throw isKnown(error) ? unreadable({ root, path }, error) : error;
      }
    },
    async lastCommit({ root, path }) {
      try {
        return await inRoot(root, (repository) => findLastCommit(repository, path));
      } catch (error) {
        if (isKnown(error)) return null;
        throw error;
      }
    },
    async commit({ root, path }, commit) {
      if (!author) throw nobodyToCommitAs();
      const work = turn.then(() =>
        inRoot(root, (repository) => commitFile(repository, { ...commit, path, author })),
      );
      turn = work.catch(() => undefined);
      try {
        return await work;
      } catch (error) {
        throw isKnown(error) ? notCommitted({ root, path }, error) : error;
      }
    },
    async stop() {
      stopped = true;
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
