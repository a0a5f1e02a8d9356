import type postgres from "postgres";
import { expect, it } from "vitest";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";

/** `npm run schema` updates the snapshot file with the result of this test. */
it("[DB-15] the queries' picture of the tables is what the migrations made", async () => {
  const sql = connectTestDatabase(await createTestDatabase());
  await expect(await pictureTables(sql)).toMatchFileSnapshot("./schema.ts");
});

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Default value of the column. Null if it has none. */
  readonly default: string | null;
  readonly generated: boolean;
  /** The values that a constraint allows, if it restricts the column to a list of words. */
  readonly words: readonly string[] | null;
}

async function pictureTables(sql: postgres.Sql): Promise<string> {
  const columns = await sql<Column[]>`
    SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
      pg_get_expr(d.adbin, d.adrelid) AS default, a.attgenerated <> '' AS generated,
      -- As JSON, since the driver knows no types of arrays.
      (SELECT json_agg(word[1]) FROM pg_constraint k, regexp_matches(pg_get_constraintdef(k.oid), '''(\\w+)''::text', 'g') word
       WHERE k.conrelid = c.oid AND k.conkey = ARRAY[a.attnum]
         AND pg_get_constraintdef(k.oid) ~ format('^CHECK \\(\\(+%I = ANY', a.attname)) AS words
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped
    ORDER BY c.relname COLLATE "C", a.attnum`;
  const tables = [...new Set(columns.map(({ table }) => table))];
  const pictures = tables.map((name) =>
    pictureTable(
      name,
      columns.filter(({ table }) => table === name),
    ),
  );
  return [head, ...pictures].join("\n");
}

const head = `// Written by \`npm run schema\` from a database with all migrations. Change the migrations, then run it again.
// It has what queries need, the columns; keys, indexes, constraints and their reasons are in \`migrations/\`.
import { sql } from "drizzle-orm";
import { bigint, boolean, customType, date, integer, jsonb, pgTable, smallint, text, timestamp, uuid } from "drizzle-orm/pg-core";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
const count = (name: string) => bigint(name, { mode: "number" });
`;

function pictureTable(name: string, columns: readonly Column[]): string {
  const lines = columns.map((column) => `  ${camelCase(column.name)}: ${pictureColumn(column)},`);
  return `export const ${camelCase(name)} = pgTable("${name}", {\n${lines.join("\n")}\n});\n`;
}

const builders: Readonly<Record<string, string>> = {
  "timestamp(3) with time zone": "instant",
  bigint: "count",
};

/** The types of JSON columns whose values always have the same shape. */
const jsonTypes: Readonly<Record<string, string>> = {
  "peers.groups": "readonly { name: string; role: string | null }[]",
  "alert_targets.quiet": "{ from: string; to: string; time_zone: string }",
  "tasks.links": "readonly ({ message: number } | { section: string })[]",
  "tasks.check": "{ command: string } | { reviewer: string }",
  "tasks.proof": "{ exit_code: number; tail: string }",
};

function pictureColumn(column: Column): string {
  const { table, name, words, required, generated } = column;
  const [type = "", list] = column.type.split(/(?=\[\]$)/);
  const choice = words === null ? "" : `, { enum: [${words.map((word) => `"${word}"`).join(", ")}] }`;
  const json = jsonTypes[`${table}.${name}`];
  return [
    `${builders[type] ?? type}("${name}"${choice})`,
    list && ".array()",
    json && `.$type<${json}>()`,
    required && ".notNull()",
    generated ? ".generatedAlwaysAs(sql``)" : column.default !== null && `.default(sql\`${column.default}\`)`,
  ]
    .filter(Boolean)
    .join("");
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
