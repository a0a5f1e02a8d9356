import { expect, it } from "vitest";
// @ts-expect-error A script without types.
import { findBreaking } from "../../../../scripts/check-migrations.mjs";

const problemsOf = (sql: string): string[] => findBreaking(sql, "0.3.0");

it("[SCALE-1] a migration that only adds is accepted, and one that the version before could not live with is refused with the reason", () => {
  for (const additive of [
    "CREATE TABLE nodes (node_id uuid PRIMARY KEY, version text NOT NULL)",
    "ALTER TABLE meshes ADD COLUMN quotas jsonb NOT NULL DEFAULT '{}'",
    "ALTER TABLE sessions ADD COLUMN bytes bigint NOT NULL DEFAULT 0,\n ADD COLUMN note text",
    "ALTER TABLE peers ADD COLUMN node_id uuid; CREATE INDEX peers_by_node ON peers (node_id)",
    "ALTER TABLE messages ALTER COLUMN salt DROP NOT NULL",
    "-- This would DROP TABLE teams.\nALTER TABLE teams ADD CHECK (colour >= 0)",
    "ALTER TABLE teams DROP COLUMN colour;\n--> statement-breakpoint\nUPDATE merkle_migrations.compatibility SET compatible_build = 3",
    "-- unread since 0.2.1\nALTER TABLE teams DROP COLUMN colour",
  ])
    expect(problemsOf(additive), additive).toEqual([]);
  for (const breaking of [
    "DROP TABLE teams",
    "ALTER TABLE teams DROP COLUMN colour",
    "ALTER TABLE teams RENAME COLUMN colour TO shade",
    "ALTER TABLE teams ALTER COLUMN colour TYPE text",
    "ALTER TABLE teams ALTER COLUMN colour SET NOT NULL",
    "ALTER TABLE teams ADD COLUMN note text,\n ADD COLUMN shade text NOT NULL",
    "ALTER TABLE teams ADD shade text NOT NULL, ADD COLUMN note text NOT NULL DEFAULT ''",
    "ALTER TABLE teams ADD CONSTRAINT one UNIQUE (colour)",
    "-- unread since 0.3.0\nALTER TABLE teams DROP COLUMN colour",
  ])
    expect(problemsOf(breaking), breaking).toHaveLength(1);
});
