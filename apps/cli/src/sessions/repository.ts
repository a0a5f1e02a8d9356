import { createHmac } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { normaliseScope } from "@merkle/wire/text";

/** A file in a Git repository. */
export interface RepositoryFile {
  /** The address that identifies the repository (CLAIM-7). Never leaves this machine. */
  readonly address: string;
  /** The file's path relative to the root of its worktree, with forward slashes. */
  readonly path: string;
}

/**
 * Finds a file's repository and the file's path in it. Returns null outside a repository. The file need not
 * exist.
 */
export function findRepositoryFile(file: string, cwd: string): RepositoryFile | null {
  const path = resolveRealPath(resolve(cwd, file));
  const root = findRoot(path);
  return root === null ? null : { address: readAddress(root), path: toSlashes(relative(root, path)) };
}

/** Returns the address of the repository that contains a folder. Null outside a repository. */
export function findRepository(folder: string): string | null {
  const root = findRoot(resolveRealPath(folder));
  return root === null ? null : readAddress(root);
}

/**
 * Returns the hash that identifies a repository in a session (CLAIM-7). The session's id is the key of the
 * hash, so that the repository cannot be recognised across sessions.
 */
export function toRepositoryKey(address: string, sessionId: string): string {
  return createHmac("sha256", sessionId).update(address).digest("hex").slice(0, 32);
}

/**
 * Resolves the scope of a claim. A path on this machine is converted to a path relative to the root of its
 * repository.
 */
export function resolveScope(scope: string, cwd: string): { scope: string; address: string | null } {
  const given = scope.trim();
  const isPath = !given.startsWith("repo:") && normaliseScope(given).startsWith("repo:");
  if (!isPath && !isAbsolute(given)) return { scope, address: findRepository(cwd) };
  return resolvePath(given, cwd);
}

/** Resolves a task's file, which is a path even if it is a single word. Otherwise like {@link resolveScope}. */
export function resolveFile(file: string, cwd: string): string {
  return file.startsWith("repo:") ? file : resolvePath(file.trim(), cwd).scope;
}

function resolvePath(given: string, cwd: string): { scope: string; address: string | null } {
  const root = findRoot(resolveRealPath(cwd));
  const [first = ""] = given.split(/[/\\]/);
  // Resolve a relative path from the root if its first part exists only there. Otherwise resolve it from the
  // agent's folder, in which new files are created.
  const isFromRoot = root !== null && !existsSync(join(cwd, first)) && existsSync(join(root, first));
  const file = findRepositoryFile(given, isFromRoot ? root : cwd);
  if (file === null) return { scope: given, address: null };
  return { scope: `repo:${file.path}${/[/\\]$/.test(given) ? "/" : ""}`, address: file.address };
}

const toSlashes = (path: string) => path.split(sep).join("/");

/** Finds the folder that contains `.git`. In a worktree, `.git` is a file. */
function findRoot(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return null;
  }
}

/**
 * Resolves symbolic links in the existing part of a path, so that different names for the same file become
 * equal.
 */
function resolveRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(resolveRealPath(parent), basename(path));
  }
}

/**
 * Returns the address of a repository. Reads Git's files directly, because the hook that runs before every
 * edit waits for the result.
 */
function readAddress(root: string): string {
  const folder = findCommonFolder(join(root, ".git"));
  const remote = findRemote(readText(join(folder, "config")));
  if (remote === null) return toLocalAddress(folder);
  return normaliseRemote(remote) ?? toLocalAddress(resolve(folder, "..", remote.replace(/^file:\/\//, "")));
}

/**
 * Returns an address for a repository without a remote, from its folder. Includes the host name, because the
 * path is valid only on this machine.
 */
function toLocalAddress(folder: string): string {
  return `${hostname()}:${resolveRealPath(folder)}`;
}

/** Returns the Git folder that all worktrees of a repository share. */
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

/** Returns the address of `origin` in a Git configuration, or else of the first remote. */
function findRemote(config: string): string | null {
  const remotes = [...config.matchAll(/^[ \t]*\[remote "(.*)"\](?:\n(?![ \t]*\[).*)*/gm)].map(
    ([section, name]) => ({ name, url: /^[ \t]*url[ \t]*=[ \t]*(.*)$/im.exec(section)?.[1] ?? "" }),
  );
  const named = remotes.filter(({ url }) => url.trim() !== "");
  const remote = named.find(({ name }) => name === "origin") ?? named[0];
  return remote ? remote.url.trim().replace(/^"(.*)"$/, "$1") : null;
}

/**
 * Normalises a remote's address to host and path, without user, password, port and query. Returns null for a
 * local path. For Azure DevOps and Bitbucket, which use different hosts or paths for https and ssh, both
 * forms get the same result.
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
