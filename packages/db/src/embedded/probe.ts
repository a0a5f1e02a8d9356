import postgres from "postgres";
import { type Connection, MERKLE } from "./endpoint.js";
import { codeOf, EmbeddedPostgresError } from "./error.js";

/**
 * Asks the server which data directory it serves, and makes our database in it when it is missing.
 *
 * @throws what the driver throws; `57P03` while the server is starting or shutting down
 */
export async function probe(connection: Connection): Promise<string> {
  try {
    return await dataDirectoryOf(connection);
  } catch (error) {
    if (codeOf(error) === "28P01") throw passwordLost(error);
    if (codeOf(error) !== "3D000") throw error;
  }
  await withConnection({ ...connection, database: "postgres" }, async (sql) => {
    await sql`CREATE DATABASE ${sql(MERKLE)}`.catch((error: unknown) => {
      if (codeOf(error) !== "42P04" && codeOf(error) !== "23505") throw error;
    });
  });
  return dataDirectoryOf(connection);
}

function passwordLost(cause: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "data_damaged",
    "PostgreSQL does not accept the password in pg/password of the Merkle home. Restore that file, or the whole home, from a backup.",
    { cause },
  );
}

function dataDirectoryOf(connection: Connection): Promise<string> {
  return withConnection(connection, async (sql) => {
    const [row] = await sql<{ data_directory: string }[]>`SHOW data_directory`;
    return row?.data_directory ?? "";
  });
}

async function withConnection<T>(connection: Connection, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres({
    ...connection,
    max: 1,
    ssl: false,
    prepare: false,
    fetch_types: false,
    connect_timeout: 10,
    connection: { application_name: "merkle start" },
    onnotice: () => {},
  });
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
