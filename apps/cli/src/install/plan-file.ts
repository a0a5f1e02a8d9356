import { mkdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Addition, FileAdditions } from "../clients/client.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { replaceFile } from "../core/replace-file.js";
import { sha256 } from "../core/sha256.js";
import { type FileFormat, fileFormats } from "./file-format.js";
import type { AddedPart, InstalledFile } from "./install-record.js";
import { applyEdit, type TextEdit } from "./json-edit.js";

/** The planned change to a file. */
export interface FilePlan {
  readonly path: string;
  /** The file's current text. Null if the file does not exist. */
  readonly current: string | null;
  /** The planned text. Null if the file will be removed. */
  readonly next: string | null;
  readonly changes: readonly PlannedChange[];
  /** The record to store. Null if the file will contain nothing from Merkle. */
  readonly record: InstalledFile | null;
}

export interface PlannedChange {
  readonly path: readonly string[];
  readonly edit: TextEdit;
  /** The side of the change that is the user's own text, which may contain a secret. */
  readonly foreign?: "removed" | "added";
}

/** Plans the addition of Merkle's parts to a file. Replaces the parts of an earlier installation. */
export function planInstall(
  { path, format: name, additions }: FileAdditions,
  current: string | null,
  installed: InstalledFile | undefined,
): FilePlan {
  const format = fileFormats[name];
  return explainFileErrors({ path, format: name }, () => {
    const earlier = installed ? undo(installed, current) : { text: current, changes: [] };
    const { mark, body } = splitByteOrderMark(earlier.text ?? "");
    let text = body.trim() === "" ? format.empty : body;
    const changes: PlannedChange[] = [];
    const added: AddedPart[] = [];
    for (const addition of additions) {
      const made = format.listMissingParents(text, addition);
      const before = addition.kind === "member" ? format.findValue(text, addition.path) : undefined;
      const edit = format.planAddition(text, addition);
      if (!edit) continue;
      text = applyEdit(text, edit);
      changes.push({ path: addition.path, edit, ...(before && { foreign: "removed" }) });
      added.push({ addition, made, ...(before && { replaced: before }) });
    }
    text = mark + text;
    if (text === current) return { path, current, next: current, changes: [], record: installed ?? null };
    const record = { path, format: name, before: earlier.text, after: sha256(text), added };
    return { path, current, next: text, changes: [...earlier.changes, ...changes], record };
  });
}

/** Plans the removal of Merkle's parts from a file, and nothing else (INSTALL-3). */
export function planUninstall(installed: InstalledFile, current: string | null): FilePlan {
  const { path, format } = installed;
  return explainFileErrors({ path, format }, () => {
    const { text: next, changes } = undo(installed, current);
    return { path, current, next, changes, record: null };
  });
}

function undo(
  { before, after, added, format: name = "json" }: InstalledFile,
  current: string | null,
): { text: string | null; changes: PlannedChange[] } {
  if (current === null) return { text: null, changes: [] };
  const format = fileFormats[name];
  const { mark, body } = splitByteOrderMark(current);
  const all = removeAdded(added, body, format);
  // The file has not been changed since the installation, so its original text can be restored byte for byte.
  if (sha256(current) === after) return { text: before, changes: all.changes };
  if (before === null && isDeepStrictEqual(format.findValue(all.text, []), { value: {} }))
    return { text: null, changes: all.changes };
  const own = removeAdded(
    added.filter((each) => !isShared(each)),
    body,
    format,
  );
  return { text: mark + own.text, changes: own.changes };
}

/** Returns whether the entries that others have made in the file since then need the addition, too. */
function isShared({ addition }: AddedPart): boolean {
  return addition.kind === "member" && addition.isShared === true;
}

/**
 * Splits off the byte order mark that Windows editors write, which must stay at the beginning of the file.
 */
function splitByteOrderMark(text: string): { readonly mark: string; readonly body: string } {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  return { mark, body: text.slice(mark.length) };
}

function removeAdded(
  added: readonly AddedPart[],
  current: string,
  format: FileFormat,
): { text: string; changes: PlannedChange[] } {
  let text = current;
  const changes: PlannedChange[] = [];
  for (const part of [...added].reverse()) {
    const edit = planUndo(text, part, format);
    if (!edit) continue;
    text = applyEdit(text, edit);
    changes.push({ path: part.addition.path, edit, ...(part.replaced && { foreign: "added" }) });
  }
  return { text, changes };
}

function planUndo(
  text: string,
  { addition, made, replaced }: AddedPart,
  format: FileFormat,
): TextEdit | null {
  const edit = format.planRemoval(text, addition, made);
  if (!edit || !replaced) return edit;
  const earlier: Addition = { kind: "member", path: addition.path, value: replaced.value };
  return format.planAddition(text, earlier);
}

function explainFileErrors<T>(
  { path, format = "json" }: { path: string; format?: FileAdditions["format"] | undefined },
  plan: () => T,
): T {
  try {
    return plan();
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    const what =
      error instanceof TypeError
        ? `is not as expected (${error.message})`
        : `is not ${fileFormats[format].label}`;
    throw new CliError("bad_file", `${path} ${what}, so it was left unchanged.`, {
      exitCode: exitCodes.unexpected,
      next: [`correct ${path}`, "merkle install --client print"],
      cause: error,
    });
  }
}

/**
 * Reads a file. Returns null if the file does not exist or is a dangling link.
 *
 * @throws CliError `bad_file` if the file is not UTF-8, because writing it back would change other bytes
 */
export async function readIfExists(path: string): Promise<string | null> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CliError("bad_file", `${path} is not UTF-8, so it was left unchanged.`, {
      exitCode: exitCodes.unexpected,
      next: [`correct ${path}`, "merkle install --client print"],
      cause,
    });
  }
}

/**
 * Writes all files or none. If a file cannot be written, restores the files already written. Keeps file modes
 * and symbolic links.
 *
 * @throws CliError `conflict` if a file has changed since the plan was made; `file_read_only`
 */
export async function writePlans(plans: readonly FilePlan[]): Promise<void> {
  const written: FilePlan[] = [];
  try {
    for (const plan of plans) {
      await writePlan(plan);
      written.push(plan);
    }
  } catch (error) {
    for (const { path, current, next } of written.reverse())
      await writePlan({ path, current: next, next: current });
    throw error;
  }
}

async function writePlan({
  path,
  current,
  next,
}: Pick<FilePlan, "path" | "current" | "next">): Promise<void> {
  if (current === next) return;
  if ((await readIfExists(path)) !== current) {
    throw new CliError("conflict", `${path} was changed in the meantime, so it was left unchanged.`, {
      exitCode: exitCodes.conflict,
      next: ["do it again"],
    });
  }
  try {
    const file = await followLinks(path);
    if (next === null) return await rm(file, { force: true });
    // If the path is a symbolic link, the folder of its target is not created.
    if (file === path) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replace(file, next);
  } catch (error) {
    throw explainWrite(path, error);
  }
}

/** Resolves symbolic links, even if the target does not exist. */
async function followLinks(path: string): Promise<string> {
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? path : followLinks(resolve(dirname(path), target));
}

const refusals: Readonly<Record<string, string>> = {
  EROFS: "it is on a read-only file system",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EBUSY: "it is a mount point",
  ENOENT: "it is a link into a folder that does not exist",
  ELOOP: "it is a link to itself",
  ENOSPC: "no space is left there",
};

function explainWrite(path: string, error: unknown): unknown {
  const reason = error instanceof Error && "code" in error ? refusals[String(error.code)] : undefined;
  if (reason === undefined) return error;
  return new CliError(
    "file_read_only",
    `${path} cannot be written: ${reason}. Nothing was changed. Make the change above where this file is managed.`,
    { exitCode: exitCodes.unexpected, next: ["merkle install --client print"], cause: error },
  );
}

async function replace(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (stats) => stats.mode & 0o777,
    () => 0o600,
  );
  await replaceFile(path, text, mode);
}
