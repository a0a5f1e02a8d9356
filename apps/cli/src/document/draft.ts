import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { decode } from "../command/read-text.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { toEditorCall } from "../core/platform.js";

/**
 * Text to be written to a document. The draft's file stays in the Merkle home until the text has been written
 * or discarded.
 */
export interface DraftFile {
  readonly path: string;
  read(): Promise<string>;
  remove(): Promise<void>;
}

interface DraftOptions {
  readonly home: string;
  /** The name of the draft's file, without the extension. */
  readonly name: string;
  /** The file's extension, from which editors detect the format. Default: `.md`. */
  readonly extension?: string;
}

/** Creates a draft under an unused name, readable only by its owner. */
export async function createDraft(
  { home, name, extension = ".md" }: DraftOptions,
  content: string,
): Promise<DraftFile> {
  const folder = homeFiles.drafts(home);
  const path = await explainHomeErrors(home, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return writeToFreeName(join(folder, name), extension, content);
  });
  return {
    path,
    read: async () => decode(await readFile(path), path),
    remove: () => rm(path, { force: true }),
  };
}

/** Removes a file if it is a draft in the Merkle home. The user's own files are kept. */
export async function removeIfDraft(home: string, path: string): Promise<void> {
  if (dirname(resolve(path)) === resolve(homeFiles.drafts(home))) await rm(path, { force: true });
}

async function writeToFreeName(
  name: string,
  extension: string,
  content: string,
  number = 1,
): Promise<string> {
  const path = `${name}${number === 1 ? "" : `-${number}`}${extension}`;
  try {
    await writeFile(path, content, { mode: 0o600, flag: "wx" });
    return path;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      return writeToFreeName(name, extension, content, number + 1);
    }
    throw error;
  }
}

/** Opens a file in the editor named by `VISUAL` or `EDITOR`. Resolves when the editor exits. */
export async function openEditor(path: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { editor, command, args, shell } = toEditorCall(env["VISUAL"] || env["EDITOR"], path);
  const child = spawn(command, [...args], { stdio: "inherit", shell });
  const [code, signal] = await once(child, "close");
  if (code === 0) return;
  throw new CliError(
    "editor_failed",
    code === 127
      ? `The editor ${editor} was not found.`
      : `The editor ${editor} ended with ${signal ?? code}.`,
    { exitCode: exitCodes.unexpected, next: ["set EDITOR to your editor"] },
  );
}
