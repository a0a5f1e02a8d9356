import { CliError, exitCodes } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../core/private-file.js";
import { sha256 } from "../core/sha256.js";
import { toOneLine } from "../text/one-line.js";
import type { ConfigFile } from "./config-file.js";
import { type Consequence, findInFile, type LocatedValue } from "./setting.js";
import { coreSettings } from "./settings.js";

/**
 * A file that comes with a project and controls where data is sent. It is used only if the user trusts it.
 */
export interface ForeignFile {
  /** The file's absolute path. The same file in another folder must be trusted separately. */
  readonly path: string;
  /** The lines to show to the person who decides whether to trust the file. */
  readonly says: readonly string[];
  /**
   * Everything that a decision to trust covers: the text of the file, the values to which it resolves here,
   * and the content of files that it names.
   */
  readonly content: readonly (string | null)[];
}

/**
 * Converts a configuration file to a file that must be trusted. Undefined if the file has no influence on
 * which broker is called, or how.
 */
export function toForeignFile(file: ConfigFile): ForeignFile | undefined {
  const values = coreSettings.flatMap(({ key }) => {
    const consequence = key?.inProject;
    return key && consequence ? [{ consequence, given: findInFile(key, file) }] : [];
  });
  return toForeign(file, values);
}

/**
 * A value that a project's file may contain, and the consequence of using it. `given` is undefined if the
 * file lacks the value.
 */
export interface ForeignValue {
  readonly consequence: Consequence;
  readonly given: LocatedValue | undefined;
}

/** Combines the values in a project's file. Returns undefined if the file contains none of the values. */
export function toForeign(
  { path, text }: Pick<ConfigFile, "path" | "text">,
  values: readonly ForeignValue[],
): ForeignFile | undefined {
  if (values.every(({ given }) => given === undefined)) return undefined;
  return {
    path,
    says: values.flatMap(({ consequence, given }) => {
      const sentence = given && consequence.describe(given);
      return sentence === undefined ? [] : [toOneLine(sentence)];
    }),
    content: [
      text,
      ...values.flatMap(({ consequence: { readContent }, given }) =>
        readContent ? [given ? readContent(given) : null] : [],
      ),
    ],
  };
}

/** Returns whether the user trusts this file, in this folder and with exactly this content (CLI-82). */
export function isTrusted(home: string, file: ForeignFile): boolean {
  return readTrusted(home)[file.path] === hashForeignFile(file);
}

export function trustFile(home: string, file: ForeignFile): void {
  writePrivateJson(homeFiles.trusted(home), { ...readTrusted(home), [file.path]: hashForeignFile(file) });
}

/** Refuses to continue if a project's file is not trusted. @throws CliError `not_trusted` */
export function requireTrusted({ untrusted }: { readonly untrusted: ForeignFile | undefined }): void {
  if (untrusted) throw notTrusted(untrusted);
}

export function notTrusted({ path, says }: ForeignFile): CliError {
  return new CliError(
    "not_trusted",
    `${path} sets this: ${says.join(", ")}. You have not trusted this file. Nothing was sent.`,
    {
      exitCode: exitCodes.usage,
      next: ["merkle trust, in your own terminal", "or set the broker's address yourself: --url, MERKLE_URL"],
    },
  );
}

function hashForeignFile({ path, content }: ForeignFile): string {
  return sha256(JSON.stringify([path, ...content]));
}

function readTrusted(home: string): Readonly<Record<string, unknown>> {
  const path = homeFiles.trusted(home);
  try {
    return { ...Object(readPrivateJson(path)) };
  } catch (cause) {
    throw new CliError(
      "unreadable",
      `${path}, which lists what you trust, is not valid. Correct or remove it.`,
      {
        exitCode: exitCodes.unexpected,
        cause,
      },
    );
  }
}
