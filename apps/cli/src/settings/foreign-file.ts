import { createHash } from "node:crypto";
import { toBaseUrl } from "../core/address.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../core/private-file.js";
import { readSettingsText } from "../core/read-settings-text.js";
import { oneLine } from "../text/one-line.js";
import type { ConfigFile } from "./config-file.js";

/**
 * A file that came with a project and controls where data is sent. It may be used only if the user trusts it.
 */
export interface ForeignFile {
  /** The absolute path. The same file in another folder must be trusted separately. */
  readonly path: string;
  /** The lines shown to the person who decides about trust. */
  readonly says: readonly string[];
  /**
   * Everything that the decision to trust covers: the file's text, the values it resolves to here, and the
   * content of files that it names.
   */
  readonly content: readonly (string | null)[];
}

/** Converts a configuration file. Undefined if the file does not influence which broker is called, or how. */
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

/** Returns whether the user trusts this file in this folder with exactly this content (CLI-82). */
export function isTrusted(home: string, file: ForeignFile): boolean {
  return readTrusted(home)[file.path] === digestOf(file);
}

export function trustFile(home: string, file: ForeignFile): void {
  writePrivateJson(homeFiles.trusted(home), { ...readTrusted(home), [file.path]: digestOf(file) });
}

/** Refuses to continue with an untrusted project file. @throws CliError `not_trusted` */
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
