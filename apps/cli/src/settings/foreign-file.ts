import { createHash } from "node:crypto";
import { toBaseUrl } from "../core/address.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../core/private-file.js";
import { readSettingsText } from "../core/read-settings-text.js";
import { oneLine } from "../text/one-line.js";
import type { ConfigFile } from "./config-file.js";

/** A file that came with a project, and says where to send things: whoever wrote the project wrote it. */
export interface ForeignFile {
  /** Absolute: the same file in another folder is another one. */
  readonly path: string;
  /** The lines that a person is shown before deciding. */
  readonly says: readonly string[];
  /** Everything that makes it what was trusted: its text, what that stands for here, and the files that it names. */
  readonly content: readonly (string | null)[];
}

/** Undefined where it has no say in which broker is called, and how. */
export function toForeignFile({
  path,
  text,
  mcpUrl,
  ca,
  insecure,
  mesh,
}: ConfigFile): ForeignFile | undefined {
  if ([mcpUrl, ca, insecure, mesh].every((each) => each === undefined)) return undefined;
  const base = mcpUrl === undefined ? undefined : toBaseUrl(mcpUrl, `mcp_url in ${path}`);
  return {
    path,
    says: [
      ...(base === undefined ? [] : [`commands and agents started there connect to ${base}`]),
      ...(insecure ? ["also unencrypted, so others can listen"] : []),
      ...(ca === undefined ? [] : [`the certificate authorities in ${oneLine(ca)} are trusted`]),
      ...(mesh === undefined ? [] : [`in the mesh ${JSON.stringify(oneLine(mesh))}`]),
    ],
    content: [text, base ?? null, ca === undefined ? null : (readSettingsText(ca) ?? null)],
  };
}

/** Whether a person has said of this very file, in this folder and with this content, that it is to be used (CLI-82). */
export function isTrusted(home: string, file: ForeignFile): boolean {
  return readTrusted(home)[file.path] === digestOf(file);
}

export function trustFile(home: string, file: ForeignFile): void {
  writePrivateJson(homeFiles.trusted(home), { ...readTrusted(home), [file.path]: digestOf(file) });
}

/** @throws CliError `not_trusted` where a project would have a say in which broker is called */
export function refuseUntrusted({ untrusted }: { readonly untrusted: ForeignFile | undefined }): void {
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

function digestOf({ path, content }: ForeignFile): string {
  return createHash("sha256")
    .update(JSON.stringify([path, ...content]))
    .digest("hex");
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
