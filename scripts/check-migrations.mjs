/**
 * Checks that migrations within a release are additive. Nodes are upgraded one by one, so the previous version must work on the
 * same schema. A column or table is removed one release after its last use.
 *
 * A statement that removes something needs a comment `-- unread since <version>` with an earlier version, so that no running node
 * reads it. Alternatively, `compatible_build` stops the older nodes.
 */
import { readdirSync, readFileSync } from "node:fs";

/** The migrations from before Merkle supported several nodes. No other version ever ran on the same schema. */
const newestBeforeNodes = 28;

/** Statements that break a node of the previous version, and the reasons. */
const breaking = [
  [
    /\bDROP\s+(?:TABLE|COLUMN|FUNCTION|TYPE|VIEW|SCHEMA|DEFAULT|ATTRIBUTE)\b/i,
    "the previous version still uses it",
  ],
  [/\bRENAME\b/i, "the previous version knows only the old name; add the new column or table beside it"],
  [
    /\bALTER\s+COLUMN\s+\S+\s+(?:SET\s+DATA\s+)?TYPE\b/i,
    "the previous version reads the old type; add a column beside it",
  ],
  [
    /\bSET\s+NOT\s+NULL\b/i,
    "the previous version may write none; give it a default now, and make it required a release later",
  ],
  [
    /\bADD\s+(?:COLUMN\s+)?(?!CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN|COLUMN)\w+(?:(?!\bDEFAULT\b|\bGENERATED\b|,\s*(?:ADD|ALTER|DROP)\b)[^;])*\bNOT\s+NULL\b(?!(?:(?!,\s*(?:ADD|ALTER|DROP)\b)[^;])*\b(?:DEFAULT|GENERATED)\b)/i,
    "the previous version inserts rows without it; give it a default",
  ],
  [
    /\bADD\s+(?:CONSTRAINT\s+\w+\s+)?(?:UNIQUE|PRIMARY\s+KEY|EXCLUDE)\b/i,
    "the previous version may write what it forbids",
  ],
  [/\bTRUNCATE\b/i, "the previous version still reads the rows"],
];

/** Returns descriptions of the statements in a migration that would break a node of the previous version. */
export function findBreaking(sql, ownVersion) {
  const statements = sql.split("--> statement-breakpoint");
  if (statements.some((statement) => /\bUPDATE\s+merkle_migrations\.compatibility\b/i.test(statement)))
    return [];
  return statements.flatMap((statement) => {
    const code = statement.replace(/--.*$/gm, "");
    const [, unreadSince] = /^-- unread since (\d+\.\d+\.\d+)/im.exec(statement) ?? [];
    if (unreadSince !== undefined && isOlder(unreadSince, ownVersion)) return [];
    return breaking.flatMap(([pattern, reason]) => {
      const [found] = pattern.exec(code) ?? [];
      return found === undefined ? [] : [`"${found.replace(/\s+/g, " ").slice(0, 80)}": ${reason}`];
    });
  });
}

function isOlder(version, than) {
  const [a, b] = [version, than].map((each) => each.split(".").map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at] < b[at];
}

const folder = new URL("../packages/db/migrations/", import.meta.url);
const { version } = JSON.parse(readFileSync(new URL("../packages/db/package.json", import.meta.url), "utf8"));
const problems = readdirSync(folder)
  .filter((name) => name.endsWith(".sql") && Number(name.slice(0, 4)) > newestBeforeNodes)
  .flatMap((name) =>
    findBreaking(readFileSync(new URL(name, folder), "utf8"), version).map(
      (problem) => `${name}: ${problem}`,
    ),
  );
if (problems.length > 0) {
  console.error(
    `Nodes are upgraded one by one, so a migration only adds:\n${problems.map((each) => `  ${each}`).join("\n")}\nSee CONTRIBUTING.md, "To add a capability".`,
  );
  process.exitCode = 1;
}
