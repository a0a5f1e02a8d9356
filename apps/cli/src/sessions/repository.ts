import { createHmac } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { normaliseScope } from "@merkle/wire/text";

/** A file of a repository. */
export interface RepositoryFile {
  /** What the repository is known by (CLAIM-7). It stays on this machine. */
  readonly address: string;
  /** From the root of its worktree, with slashes between folders. */
  readonly path: string;
}

/** Finds the repository that a file is in, and the file's path there; null outside of one. The file need not exist yet. */
export function findRepositoryFile(file: string, cwd: string): RepositoryFile | null {
  const path = realPath(resolve(cwd, file));
  const root = findRoot(path);
  return root === null ? null : { address: readAddress(root), path: toSlashes(relative(root, path)) };
}

/** Returns the address of the repository that a folder is in; null outside of one. */
export function findRepository(folder: string): string | null {
  const root = findRoot(realPath(folder));
  return root === null ? null : readAddress(root);
}

/**
 * The hash by which a session knows a repository (CLAIM-7). It is keyed with the session, so that the same repository cannot be
 * recognised in another one.
 */
export function toRepositoryKey(address: string, sessionId: string): string {
  return createHmac("sha256", sessionId).update(address).digest("hex").slice(0, 32);
}

/** A scope as it is claimed from a folder: a path on this machine becomes one from the root of its repository. */
export function resolveScope(scope: string, cwd: string): { scope: string; address: string | null } {
  const given = scope.trim();
  const isPath = !given.startsWith("repo:") && normaliseScope(given).startsWith("repo:");
  if (!isPath && !isAbsolute(given)) return { scope, address: findRepository(cwd) };
  const root = findRoot(realPath(cwd));
  const [first = ""] = given.split(/[/\\]/);
  // A path that begins at the root is taken from there, and else from where the agent works, where new files are, too.
  const isFromRoot = root !== null && !existsSync(join(cwd, first)) && existsSync(join(root, first));
  const file = findRepositoryFile(given, isFromRoot ? root : cwd);
  if (file === null) return { scope, address: null };
  return { scope: `repo:${file.path}${/[/\\]$/.test(given) ? "/" : ""}`, address: file.address };
}

const toSlashes = (path: string) => path.split(sep).join("/");

/** The folder that contains `.git`, which in a worktree is a file. */
function findRoot(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return null;
  }
}

/** Links followed as far as they exist: two names of one file are one file. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** Reads Git's own files instead of running it: a hook before every edit waits for the answer. */
function readAddress(root: string): string {
  const folder = findCommonFolder(join(root, ".git"));
  const remote = findRemote(readText(join(folder, "config")));
  if (remote === null) return toLocalAddress(folder);
  return normaliseRemote(remote) ?? toLocalAddress(resolve(folder, "..", remote.replace(/^file:\/\//, "")));
}

/** A folder's path means something on its own machine only. */
function toLocalAddress(folder: string): string {
  return `${hostname()}:${realPath(folder)}`;
}

/** The folder that all worktrees of a repository share. */
function findCommonFolder(git: string): string {
  const linked = /^gitdir: (.+)$/m.exec(statSync(git).isFile() ? readText(git) : "")?.[1];
  const folder = linked === undefined ? git : resolve(dirname(git), linked.trim());
  const common = readText(join(folder, "commondir")).trim();
  return common === "" ? folder : resolve(folder, common);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The address of `origin`, or else of the first remote that a Git configuration has. */
function findRemote(config: string): string | null {
  const remotes = [...config.matchAll(/^[ \t]*\[remote "(.*)"\](?:\n(?![ \t]*\[).*)*/gm)].map(
    ([section, name]) => ({ name, url: /^[ \t]*url[ \t]*=[ \t]*(.*)$/im.exec(section)?.[1] ?? "" }),
  );
  const named = remotes.filter(({ url }) => url.trim() !== "");
  const remote = named.find(({ name }) => name === "origin") ?? named[0];
  return remote ? remote.url.trim().replace(/^"(.*)"$/, "$1") : null;
}

/**
 * A remote's host and path, the same for every form in which Git takes them, without user, password, port and query; null for
 * a path on this machine. Hosts that serve https and ssh at different names or paths are Azure DevOps and Bitbucket.
 */
export function normaliseRemote(url: string): string | null {
  const form =
    /^(?!file:)[a-z][a-z0-9+.-]*:\/\/(?:[^/]*@)?(\[[^\]/]*\]|[^/:@]+)(?::\d*)?\/(.*)$/i.exec(url) ??
    /^(?:[^/]*@)?(\[[^\]/]*\]|[^/:@]{2,}):(?!\/\/)(.*)$/.exec(url);
  if (form === null) return null;
  const [, host = "", path = ""] = form;
  const named = decode(path.replace(/[?#].*$/, "").replace(/^\/+/, ""))
    .toLowerCase()
    .replace(/^(?:scm|v3)\//, "")
    .replace("/_git/", "/")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  return `${host.toLowerCase().replace(/^(?:alt)?ssh\./, "")}/${named}`;
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
