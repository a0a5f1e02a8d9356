import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nkeys } from "@nats-io/transport-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCertificate, writeCertificate } from "../../../../../tests/kit/certificates.js";
import { natsProgram, startNatsServer } from "../../../../../tests/kit/nats-server.js";
import { connectTestDatabase, createTestDatabase } from "../../../../../tests/kit/test-database.js";
import { createLog } from "../log.js";
import type { Bus } from "./bus.js";
import type { Hints } from "./hints.js";
import { startBus } from "./start-bus.js";

const log = createLog(() => undefined);

/** Where the buses of one test meet. */
interface Meeting {
  open(brokerId?: string): Promise<Bus>;
  /** Ends every connection to it, and has it accept new ones again. */
  breakOff(): Promise<void>;
}

async function meetAt(address: string, target: string): Promise<Pick<Meeting, "open">> {
  const ownId = randomUUID();
  return {
    async open(brokerId = ownId) {
      const bus = await startBus({ address, target, brokerId, log });
      onTestFinished(() => bus.stop());
      return bus;
    },
  };
}

const meetings: Record<string, () => Promise<Meeting>> = {
  async postgres() {
    const target = await createTestDatabase();
    const sql = connectTestDatabase(target);
    return {
      ...(await meetAt("postgres", target)),
      async breakOff() {
        await sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'merkle'`;
      },
    };
  },
  ...(natsProgram && {
    async nats() {
      const server = await startNatsServer();
      return {
        ...(await meetAt(server.url, "")),
        async breakOff() {
          await server.kill();
          await server.start();
        },
      };
    },
  }),
};

describe.each(Object.keys(meetings))("%s", (name) => {
  const meet = () => (meetings[name] as () => Promise<Meeting>)();

  it("[NODE-1] carries hints to the others in order, not to its own node, and not between deployments", async () => {
    const { open } = await meet();
    const [own, other, foreign] = [await open(), await open(), await open(randomUUID())];
    const [heardHere, heard, heardElsewhere] = [own, other, foreign].map((bus) => listen(bus, "held"));
    const sent = Array.from({ length: 50 }, (_, number) => ({ session: "s", peer: `peer ${number} — ü` }));
    for (const hint of sent) own.publish("held", hint);
    await expect.poll(() => heard).toHaveLength(50);
    expect(heard).toEqual(sent);
    // What comes back shows that whatever else was sent would have come.
    other.publish("held", { session: "s", peer: "back" });
    await expect.poll(() => heardHere).toEqual([{ session: "s", peer: "back" }]);
    expect(heardElsewhere).toEqual([]);
  });

  it("[NODE-2] of a burst each session's highest sequence arrives, with all that its messages change; a listener that fails keeps none back", async () => {
    const { open } = await meet();
    const [own, other] = [await open(), await open()];
    other.on("feed", () => {
      throw new Error("a listener that fails");
    });
    const heard = listen(other, "feed");
    const sessions = Array.from({ length: 100 }, () => randomUUID());
    for (let sequence = 1; sequence <= 100; sequence += 1) {
      const changes = [sequence === 50 ? "topics" : "sessions"] as const;
      for (const session of sessions) own.publish("feed", { session, sequence, changes });
    }
    await expect
      .poll(() => new Map(heard.map(({ session, sequence }) => [session, sequence])))
      .toEqual(new Map(sessions.map((session) => [session, 100])));
    expect(new Set(heard.flatMap(({ changes }) => changes))).toEqual(new Set(["sessions", "topics"]));
    expect(heard.length).toBeLessThan(10_000);
  });

  it("[NODE-3] after its server was away it is back by itself, and both sides are told that hints were lost", async () => {
    const { open, breakOff } = await meet();
    const [own, other] = [await open(), await open()];
    const [lostHere, lost, heard] = [listen(own, "lost"), listen(other, "lost"), listen(other, "settings")];
    const before = [lostHere.length, lost.length] as const;
    await breakOff();
    await expect.poll(() => lostHere.length).toBeGreaterThan(before[0]);
    await expect.poll(() => lost.length).toBeGreaterThan(before[1]);
    // One may hear of the other's loss before it has met its own, in which a hint is lost, too.
    const hears = () => {
      own.publish("settings", {});
      return [own.isUp, other.isUp, heard.length > 0];
    };
    await expect.poll(hears).toEqual([true, true, true]);
  });
});

it("[NODE-1] the bus of a node that is alone is up, tells nobody, and stops", async () => {
  const bus = await startBus({ address: "local", target: "", brokerId: randomUUID(), log });
  const heard = listen(bus, "settings");
  bus.publish("settings", {});
  await bus.stop();
  expect([bus.isUp, heard]).toEqual([true, []]);
});

it.runIf(natsProgram)(
  "[NODE-1] a NATS server that refuses us keeps the broker from starting; one that is not there does not",
  async () => {
    const { url } = await startNatsServer({ args: ["--auth", "a-token"] });
    const open = (address: string) => startBus({ address, target: "", brokerId: randomUUID(), log });
    await expect(open(url)).rejects.toMatchObject({ code: "bad_setting" });
    const [named, absent] = await Promise.all([
      open(url.replace("//", "//a-token@")),
      open("nats://127.0.0.1:1"),
    ]);
    onTestFinished(async () => void (await Promise.all([named.stop(), absent.stop()])));
    expect([named.isUp, absent.isUp]).toEqual([true, false]);
  },
);

describe.runIf(natsProgram)("a NATS server that lets some in alone", () => {
  const open = async (address: string) => {
    const bus = await startBus({ address, target: "", brokerId: "b", log });
    onTestFinished(() => bus.stop());
    return bus;
  };
  const refused = (address: string) => expect(open(address)).rejects.toMatchObject({ code: "bad_setting" });

  it("[NODE-1] takes a user and password of the address, over TLS whose authority the process knows", {
    tags: "long",
  }, async () => {
    const folder = await makeFolder();
    const { cert, key } = await writeCertificate(folder, makeCertificate());
    const args = ["--user", "merkle", "--pass", "a/word", "--tls", "--tlscert", cert, "--tlskey", key];
    const { url } = await startNatsServer({ args });
    const at = (user: string) => url.replace("nats://127.0.0.1", `tls://${user}@localhost`);
    await refused(at("merkle:a%2Fword"));
    // What a process trusts is read when it starts.
    const run = async (user: string) => {
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
      const code = `
        const { startBus } = await import(${JSON.stringify(new URL("../../../dist/core/bus/start-bus.js", import.meta.url).href)});
        const log = { info() {}, warn() {} };
        const bus = await startBus({ address: ${JSON.stringify(at(user))}, target: "", brokerId: "b", log });
        console.log(bus.isUp);
        await bus.stop();`;
      const args = ["--input-type=module", "--eval", code];
      return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
    };
    expect(await run("merkle:a%2Fword")).toBe("true");
    await expect(run("merkle:another")).rejects.toThrow("refused us");
  });

  it("[NODE-1] takes a credentials file, and one that is not there or was made elsewhere keeps the broker from starting", async () => {
    const folder = await makeFolder();
    const { config, creds } = makeOperator();
    const files = {
      config: join(folder, "nats.conf"),
      own: join(folder, "own"),
      other: join(folder, "other"),
    };
    await writeFile(files.config, config);
    await writeFile(files.own, creds);
    await writeFile(files.other, makeOperator().creds);
    const { url } = await startNatsServer({ args: ["-c", files.config] });
    const [own, other] = [await open(`${url}?creds=${files.own}`), await open(`${url}?creds=${files.own}`)];
    const heard = listen(other, "settings");
    own.publish("settings", {});
    await expect.poll(() => heard).toHaveLength(1);
    for (const address of [url, `${url}?creds=${files.other}`, `${url}?creds=${folder}/none`])
      await refused(address);
  });
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-nats-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An operator with one account and one user, as NATS' own tool makes them: the server's configuration, and the user's file. */
function makeOperator(): { readonly config: string; readonly creds: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const unlimited = { subs: -1, data: -1, payload: -1 };
  const operatorJwt = signJwt(operator, operator, { type: "operator" });
  const limits = { ...unlimited, imports: -1, exports: -1, conn: -1, leaf: -1, wildcards: true };
  const accountJwt = signJwt(operator, account, { type: "account", limits });
  const userJwt = signJwt(account, user, { type: "user", pub: {}, sub: {}, ...unlimited });
  return {
    config: `operator: ${operatorJwt}
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: ${accountJwt} }
`,
    creds: `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed()).toString()}
------END USER NKEY SEED------
`,
  };
}

type KeyPair = ReturnType<typeof nkeys.createUser>;

function signJwt(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = {
    ...{ jti: randomUUID(), iat: Math.floor(Date.now() / 1000), name: "test" },
    ...{ iss: issuer.getPublicKey(), sub: subject.getPublicKey(), nats: { ...nats, version: 2 } },
  };
  const signed = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode(claims)}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString("base64url")}`;
}

function listen<Kind extends keyof Hints>(bus: Bus, kind: Kind): Hints[Kind][] {
  const heard: Hints[Kind][] = [];
  bus.on(kind, (hint) => heard.push(hint));
  return heard;
}
