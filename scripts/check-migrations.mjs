/**
 * Checks that migrations are additive within a release, so that the version before works beside this one on the same schema
 * while nodes are upgraded one by one. What the version before reads or writes is removed one release after it was read last.
 *
 * A statement that takes something away is let through under a comment `-- unread since <version>` that names an earlier
 * version than this one: no node that may still run reads it. `compatible_build` is the other way: it stops the older nodes.
 */
import { readdirSync, readFileSync } from "node:fs";

/** The migrations of before there were several nodes, which nothing ever ran beside. */
const newestBeforeNodes = 28;

/** What breaks a node of the version before, and why. */
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

/** The statements of a migration that a node of the version before could not live with, in words. */
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
