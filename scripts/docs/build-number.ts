import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  ClientFrame,
  describeSchema,
  exportSession,
  frameRules,
  importBundle,
  operations,
} from "@merkle/wire/schemas";

/** The file that contains the build number. */
export const buildFile = "packages/wire/src/core/build.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Returns the new text of the file that contains the build number. The number increases if the contract has changed
 * (BUILD-1).
 */
export function renderBuildFile(text: string, hash = hashContract()): string {
  const [, number = "0", before = ""] =
    /buildNumber = (\d+);.*contractHash = "(\w*)";/s.exec(text.replace('=\n  "', '= "')) ?? [];
  const next = before === hash ? Number(number) : Number(number) + 1;
  return text
    .replace(/buildNumber = \d+;/, `buildNumber = ${next};`)
    .replace(/contractHash =\s+"\w*";/, `contractHash = "${hash}";`);
}

function hashContract(): string {
  const contract = {
    operations: [...operations, exportSession, importBundle]
      .map(({ name, route, access, input, output }) => ({
        name,
        route,
        access,
        input: withoutWords(describeSchema(input, "input", "#/", "lean")),
        output: withoutWords(describeSchema(output, "output", "#/", "lean")),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1)),
    frames: [withoutWords(describeSchema(ClientFrame, "input", "#/", "lean")), Object.keys(frameRules)],
    migrations: namesOf("packages/db/migrations"),
    functions: namesOf("packages/db/sql").map((name) => [name, hashOf(`packages/db/sql/${name}`)]),
  };
  return createHash("sha256").update(JSON.stringify(contract)).digest("hex");
}

function namesOf(folder: string): readonly string[] {
  return readdirSync(`${root}/${folder}`)
    .filter((name) => name.endsWith(".sql"))
    .sort();
}

function hashOf(path: string): string {
  return createHash("sha256")
    .update(readFileSync(`${root}/${path}`))
    .digest("hex");
}

/** Removes descriptions, because a change of wording does not change the contract. */
function withoutWords(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === "description" && typeof value === "string" ? undefined : value,
    ),
  );
}
