import postgres from "postgres";
import { withLossCheck } from "../core/connection.js";
import { BROKER_ROLE, type Endpoint, MERKLE, type PostgresConnection, toConnection } from "./endpoint.js";
import { EmbeddedPostgresError, findErrorCode } from "./error.js";

/**
 * Returns a server's data directory. Creates Merkle's database if it is missing, and ensures that the
 * broker's role owns it.
 *
 * @throws the driver's errors; if the server is starting, shutting down or dying, the error is one that
 * `isConnectionLost` recognises
 */
export async function probe(endpoint: Endpoint): Promise<string> {
  const admin = toConnection(endpoint, MERKLE);
  try {
    return await prepareDatabase(admin);
  } catch (error) {
    if (findErrorCode(error) === "28P01") throw passwordLost(error);
    if (findErrorCode(error) !== "3D000") throw error;
  }
  await withConnection({ ...admin, database: "postgres" }, async (sql) => {
    await sql`CREATE DATABASE ${sql(MERKLE)}`.catch((error: unknown) => {
      if (findErrorCode(error) !== "42P04" && findErrorCode(error) !== "23505") throw error;
    });
  });
  return prepareDatabase(admin);
}

function prepareDatabase(admin: PostgresConnection): Promise<string> {
  return withConnection(admin, async (sql) => {
    const [row] = await sql<{ data_directory: string }[]>`SHOW data_directory`;
    // Sends BEGIN and COMMIT itself. The driver's own transactions send ROLLBACK even over a lost connection,
    // which ends the process.
    await sql`BEGIN`;
    await transferOwnership(sql, admin.password);
    await sql`COMMIT`;
    return row?.data_directory ?? "";
  });
}

/**
 * Number of an advisory lock, chosen arbitrarily. The lock makes two simultaneous starts run `transferOwnership` one
 * after the other.
 */
const ownershipLock = 7_423_001;

/**
 * Creates the broker's role and makes it the owner of the database and its contents. In earlier versions, the
 * superuser remained the owner.
 */
async function transferOwnership(tx: postgres.Sql, password: string | undefined): Promise<void> {
  await tx`SELECT pg_advisory_xact_lock(${ownershipLock})`;
  const role = tx(BROKER_ROLE);
  const [found] = await tx`SELECT FROM pg_roles WHERE rolname = ${BROKER_ROLE}`;
  if (!found) {
    await tx`CREATE ROLE ${role} LOGIN`;
    // This statement takes no parameters. The password is hexadecimal, so it is safe to interpolate.
    if (password !== undefined) await tx.unsafe(`ALTER ROLE ${BROKER_ROLE} PASSWORD '${password}'`);
    await tx`ALTER DATABASE ${tx(MERKLE)} OWNER TO ${role}`;
  }
  const changes = await tx<{ change: string }[]>`
    WITH ours AS (SELECT oid FROM pg_roles WHERE rolname = ${MERKLE}),
    places AS (SELECT * FROM pg_namespace WHERE NOT starts_with(nspname, 'pg_') AND nspname <> 'information_schema')
    SELECT format('ALTER SCHEMA %I', nspname) AS change FROM places WHERE nspowner IN (TABLE ours)
    UNION ALL
    SELECT format('ALTER %s %I.%I',
        CASE relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END,
        nspname, relname)
      FROM pg_class JOIN places ON places.oid = relnamespace
      WHERE relowner IN (TABLE ours) AND relkind IN ('r', 'p', 'v', 'm', 'S', 'c')
        -- The sequence of a column goes along with its table.
        AND NOT (relkind = 'S' AND EXISTS (
          SELECT FROM pg_depend WHERE objid = pg_class.oid AND classid = 'pg_class'::regclass AND deptype IN ('a', 'i')))
    UNION ALL
    SELECT format('ALTER ROUTINE %s', pg_proc.oid::regprocedure) FROM pg_proc JOIN places ON places.oid = pronamespace
      WHERE proowner IN (TABLE ours)
    UNION ALL
    SELECT format('ALTER TYPE %I.%I', nspname, typname) FROM pg_type JOIN places ON places.oid = typnamespace
      WHERE typowner IN (TABLE ours) AND typtype IN ('e', 'd')`;
  for (const { change } of changes) await tx.unsafe(`${change} OWNER TO ${BROKER_ROLE}`);
}

function passwordLost(cause: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "data_damaged",
    "PostgreSQL does not accept the password in pg/password in the Merkle home. Restore that file, or the whole home, from a backup.",
    { cause },
  );
}

/**
 * Opens a connection that sends nothing once it is lost. When the connection closes, the server rolls back an
 * unfinished transaction.
 */
async function withConnection<T>(
  connection: PostgresConnection,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  let isLost = false;
  const sql = postgres({
    ...connection,
    max: 1,
    ssl: false,
    prepare: false,
    fetch_types: false,
    connect_timeout: 10,
    connection: { application_name: "merkle start" },
    onnotice: () => {},
    onclose() {
      isLost = true;
    },
  });
  try {
    return await work(withLossCheck(sql, () => isLost));
  } finally {
    await sql.end({ timeout: 1 });
  }
}
