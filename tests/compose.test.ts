import { execFile } from "node:child_process";
import { access, chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
const script = join(root, "scripts/compose/postgres.sh");

/**
 * Creates stand-ins for the shared volume and for the programs in both containers. The programs log their arguments.
 */
async function makeContainers() {
  const folder = await mkdtemp(join(tmpdir(), "merkle-compose-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const programs = {
    "docker-entrypoint.sh": `echo "$@ $(cat "$POSTGRES_PASSWORD_FILE") [\${POSTGRES_PASSWORD-}\${OWN_PASSWORD-}]"`,
    pg_isready: "exit 0",
    // The stub accepts the password of the last ALTER ROLE statement. The initial password is the well-known one from
    // earlier compose files.
    psql: `case "$*" in
      *SELECT*) for url; do :; done; [ "$url" = "postgres://merkle:$(cat ${folder}/in-force)@postgres:5432/merkle" ] ;;
      *) grep -q "ALTER ROLE merkle PASSWORD :'password'" && for each; do case $each in password=*) printf %s "\${each#password=}" > ${folder}/in-force ;; esac; done ;;
    esac`,
  };
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(folder, name), 0o755);
  }
  await writeFile(join(folder, "in-force"), "merkle_dev");
  const run = async (what: "start" | "check", env: Record<string, string> = {}) => {
    const path = `${folder}:${process.env["PATH"]}`;
    const options = { env: { PATH: path, MERKLE_SECRETS: folder, ...env } };
    return (await promisify(execFile)("sh", [script, what], options)).stdout.trim();
  };
  return { run, read: (name: string) => readFile(join(folder, name), "utf8") };
}

describe("compose.yaml", () => {
  it("[PACK-9] has no password in it, and both containers read the one that was drawn", async () => {
    const text = await readFile(join(root, "compose.yaml"), "utf8");
    expect(text).not.toMatch(/merkle_dev|PASSWORD:-[^}]/);
    const { broker, postgres } = parse(text).services;
    expect(broker.environment).toBeUndefined();
    expect(broker.command[2]).toContain("DATABASE_URL=$$(cat /run/merkle/database-url)");
    expect(broker.volumes).toContain("secrets:/run/merkle:ro");
    expect(postgres.volumes).toContain("secrets:/run/merkle");
    expect(postgres.volumes).toContain("./scripts/compose/postgres.sh:/usr/local/bin/merkle-postgres.sh:ro");
    const dockerfile = await readFile(join(root, "Dockerfile"), "utf8");
    const [, ...command] = JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]");
    expect(broker.command[2]).toContain(command.join(" "));
  });

  it("[PACK-9] .env.example names its database by the published port, and npm has the script that migrates it", async () => {
    const { postgres } = parse(await readFile(join(root, "compose.yaml"), "utf8")).services;
    const example = await readFile(join(root, ".env.example"), "utf8");
    const [, address = ""] = /^#DATABASE_URL=(.*)$/m.exec(example) ?? [];
    const { username, port, pathname } = new URL(address);
    const { POSTGRES_USER, POSTGRES_DB } = postgres.environment;
    expect([username, pathname]).toEqual([POSTGRES_USER, `/${POSTGRES_DB}`]);
    expect(postgres.ports).toEqual([`127.0.0.1:${port}:5432`]);
    const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    await access(join(root, scripts["db:migrate"].replace("node ", "")));
  });

  it("[PACK-9] the password is drawn once, and one of one's own comes first", async () => {
    const [one, other] = [await makeContainers(), await makeContainers()];
    const drawn = await one.run("start");
    expect(drawn).toMatch(/^postgres [0-9a-f]{48} \[\]$/);
    expect(await one.run("start")).toBe(drawn);
    expect(await one.read("database-url")).toBe(
      `postgres://merkle:${await one.read("password")}@postgres:5432/merkle`,
    );
    expect(await other.run("start")).not.toBe(drawn);
    expect(await other.run("start", { OWN_PASSWORD: "mine" })).toBe("postgres mine []");
    expect(await other.run("start")).toBe("postgres mine []");
  });

  it("[PACK-9] a database of an earlier compose.yaml loses the known password before the broker starts", async () => {
    const { run, read } = await makeContainers();
    await run("start");
    expect(await read("in-force")).toBe("merkle_dev");
    await run("check");
    expect(await read("in-force")).toBe(await read("password"));
    await run("check");
    expect(await read("in-force")).toBe(await read("password"));
  });
});
