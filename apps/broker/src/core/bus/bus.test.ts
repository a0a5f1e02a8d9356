import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { connect, nkeys } from "@nats-io/transport-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeCertificate, writeCertificate } from "../../../../../tests/kit/certificates.js";
import { natsProgram, startNatsServer } from "../../../../../tests/kit/nats-server.js";
import { connectTestDatabase, createTestDatabase } from "../../../../../tests/kit/test-database.js";
import { createLog } from "../log.js";
import type { Bus } from "./bus.js";
import { createEnvelopes } from "./envelope.js";
import type { HintKind, Hints } from "./hints.js";
import { startBus } from "./start-bus.js";

const log = createLog(() => undefined);

const secret = "a secret that nodes share";

/** The server or database through which the buses in one test exchange hints. */
interface BusFixture {
  readonly brokerId: string;
  open(options?: Partial<Parameters<typeof startBus>[0]>): Promise<Bus>;
  /** Connects as a client that does not have the nodes' key. */
  connectIntruder(): Promise<Intruder>;
  /** Closes all connections to the server. New connections are accepted afterwards. */
  breakConnections(): Promise<void>;
}

interface Intruder {
  /** Every payload that was sent, in order. */
  readonly overheard: string[];
  send(payload: string): Promise<void>;
}

async function createFixture(
  address: string,
  target: string,
): Promise<Pick<BusFixture, "open" | "brokerId">> {
  const brokerId = randomUUID();
  return {
    brokerId,
    async open(options) {
      const bus = await startBus({
        address,
        target,
        brokerId,
        nodeId: randomUUID(),
        secret,
        log,
        ...options,
      });
      onTestFinished(() => bus.stop());
      return bus;
    },
  };
}

const fixtures: Record<string, () => Promise<BusFixture>> = {
  async postgres() {
    const target = await createTestDatabase();
    const sql = connectTestDatabase(target);
    const fixture = await createFixture("postgres", target);
    return {
      ...fixture,
      async connectIntruder() {
        const overheard: string[] = [];
        const channel = toChannel(fixture.brokerId);
        await sql.listen(channel, (payload) => overheard.push(payload));
        return { overheard, send: async (payload) => void (await sql.notify(channel, payload)) };
      },
      async breakConnections() {
        await sql`
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'merkle'`;
      },
    };
  },
  ...(natsProgram && {
    async nats() {
      const server = await startNatsServer();
      const fixture = await createFixture(server.url, "");
      return {
        ...fixture,
        async connectIntruder() {
          const overheard: string[] = [];
          const subject = `${toChannel(fixture.brokerId)}.hints`;
          const connection = await connect({ servers: server.url });
          onTestFinished(() => connection.close());
          connection.subscribe(subject, {
            callback: (_error, message) => void overheard.push(message.string()),
          });
          await connection.flush();
          return {
            overheard,
            async send(payload) {
              connection.publish(subject, payload);
              await connection.flush();
            },
          };
        },
        async breakConnections() {
          await server.kill();
          await server.start();
        },
      };
    },
  }),
};

function toChannel(brokerId: string): string {
  return `merkle_${brokerId.replaceAll("-", "")}`;
}

describe.each(Object.keys(fixtures))("%s", (name) => {
  const createBusFixture = () => (fixtures[name] as () => Promise<BusFixture>)();

  it("[NODE-1] carries hints to the others in order, not to its own node, and not between deployments", async () => {
    const { open } = await createBusFixture();
    const [own, other, foreign] = [await open(), await open(), await open({ brokerId: randomUUID() })];
    const [heardHere, heard, heardElsewhere] = [own, other, foreign].map((bus) => listen(bus, "state"));
    const mesh = randomUUID();
    const toHint = (key: string) => ({ mesh, session: null, key });
    const sent = Array.from({ length: 50 }, (_, number) => toHint(`key ${number} — ü`));
    for (const hint of sent) own.publish("state", hint);
    await expect.poll(() => heard).toHaveLength(50);
    expect(heard).toEqual(sent);
    // Hints arrive in order: once this hint has arrived, any earlier hint would have arrived too.
    other.publish("state", toHint("back"));
    await expect.poll(() => heardHere).toEqual([toHint("back")]);
    expect(heardElsewhere).toEqual([]);
  });

  it("[NODE-2] of a burst each session's highest sequence arrives, with all that its messages change; a listener that fails keeps none back", async () => {
    const { open } = await createBusFixture();
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

  it("[NODE-2] carries every kind of hint", async () => {
    const { open } = await createBusFixture();
    const [own, other] = [await open(), await open()];
    const heard = Object.fromEntries(kinds.map((kind) => [kind, listen(other, kind)]));
    for (const kind of kinds) own.publish(kind, samples[kind] as never);
    await expect
      .poll(() => kinds.filter((kind) => heard[kind]?.some((hint) => isDeepStrictEqual(hint, samples[kind]))))
      .toEqual(kinds);
    expect(other.ignored).toEqual({ unsigned: 0, malformed: 0, repeated: 0 });
  });

  it("[NODE-15] without the nodes' key nothing is followed: not forged, not another deployment's, not what came before", async () => {
    const { open, connectIntruder: intrude, brokerId } = await createBusFixture();
    const [own, other] = [await open(), await open()];
    const forger = await intrude();
    const heard = kinds
      .filter((kind) => kind !== "lost" && kind !== "settings")
      .map((kind) => listen(other, kind));
    const settings = listen(other, "settings");
    own.publish("settings", {});
    await expect.poll(() => settings).toHaveLength(1);
    await expect.poll(() => forger.overheard.some((payload) => payload.includes("settings"))).toBe(true);

    const before = { ...other.ignored };
    const genuine = forger.overheard.slice();
    for (const payload of genuine) await forger.send(payload);
    const forged = kinds.map((kind) => JSON.stringify([kind, samples[kind]]));
    const sealAsStranger = (options: object) =>
      createEnvelopes({ nodeId: randomUUID(), secret, channel: toChannel(brokerId), ...options }).seal(
        forged,
      );
    const unsigned = [
      `{"from":"${randomUUID()}","hints":[${forged.join()}]}`,
      sealAsStranger({ secret: "another secret" }),
      sealAsStranger({ channel: "another deployment" }),
      // A genuine message with its original signature but different hints.
      genuine[0]?.replace(/"hints":\[\[.*\]\]\}\}$/, `"hints":[${forged.join()}]}}`) ?? "",
      "{}",
      "nonsense",
      ...Array.from(
        { length: 50 },
        (_, number) => `{"from":"${number}","hints":[["state",{"key":"${"x".repeat(5_000)}"}]]}`,
      ),
    ];
    for (const payload of unsigned) await forger.send(payload);

    // Messages arrive in order: once this hint has arrived, any earlier message would have arrived too.
    own.publish("settings", {});
    await expect.poll(() => settings).toHaveLength(2);
    expect(heard.flat()).toEqual([]);
    expect(other.ignored.unsigned - before.unsigned).toBe(unsigned.length);
    expect(other.ignored.repeated - before.repeated).toBe(genuine.length);
  });

  it("[NODE-15] a signed hint that names no row is counted and passed over, and so is a kind of another version", async () => {
    const { open, connectIntruder: intrude, brokerId } = await createBusFixture();
    const other = await open();
    const heard = listen(other, "state");
    const { send } = await intrude();
    const envelopes = createEnvelopes({ nodeId: randomUUID(), secret, channel: toChannel(brokerId) });
    const good = samples.state;
    const malformed = [
      ...[
        { ...good, mesh: "*" },
        { ...good, key: "x".repeat(2_000) },
        { ...good, key: { text: "x" } },
        null,
      ].map((hint) => JSON.stringify(["state", hint])),
      ...['["jobs",{"mesh":null,"job":-1}]', '["mesh",{"kind":"everything"}]', "7", "[]"],
    ];
    await send(
      envelopes.seal([...malformed, '["kind of another version",{}]', JSON.stringify(["state", good])]),
    );
    await expect.poll(() => heard).toEqual([good]);
    expect(other.ignored).toEqual({ unsigned: 0, malformed: malformed.length, repeated: 0 });
  });

  it("[NODE-3] after its server was away it is back by itself, and both sides are told that hints were lost", async () => {
    const { open, breakConnections: breakOff } = await createBusFixture();
    const [own, other] = [await open(), await open()];
    const [lostHere, lost, heard] = [listen(own, "lost"), listen(other, "lost"), listen(other, "settings")];
    const before = [lostHere.length, lost.length] as const;
    await breakOff();
    await expect.poll(() => lostHere.length).toBeGreaterThan(before[0]);
    await expect.poll(() => lost.length).toBeGreaterThan(before[1]);
    // The connections break one by one. A hint sent before all of them have reconnected may be lost.
    const areAllUp = () => {
      own.publish("settings", {});
      return [own.isUp, other.isUp, heard.length > 0];
    };
    await expect.poll(areAllUp).toEqual([true, true, true]);
  });
});

const stranger = { target: "", brokerId: randomUUID(), nodeId: randomUUID(), secret, log };

it("[NODE-1] the bus of a node that is alone is up, tells nobody, and stops", async () => {
  const bus = await startBus({ ...stranger, address: "local" });
  const heard = listen(bus, "settings");
  bus.publish("settings", {});
  await bus.stop();
  expect([bus.isUp, heard]).toEqual([true, []]);
});

it("[NODE-1] a NATS server that refuses us keeps the broker from starting; one that is not there does not", {
  tags: "nats",
}, async () => {
  const { url } = await startNatsServer({ args: ["--auth", "a-token"] });
  const open = (address: string) => startBus({ ...stranger, address });
  await expect(open(url)).rejects.toMatchObject({ code: "bad_setting" });
  const [named, absent] = await Promise.all([
    open(url.replace("//", "//a-token@")),
    open("nats://127.0.0.1:1"),
  ]);
  onTestFinished(async () => void (await Promise.all([named.stop(), absent.stop()])));
  expect([named.isUp, absent.isUp]).toEqual([true, false]);
});

describe("a NATS server that lets some in alone", { tags: "nats" }, () => {
  const open = async (address: string) => {
    const bus = await startBus({ ...stranger, address, brokerId: "b", nodeId: randomUUID() });
    onTestFinished(() => bus.stop());
    return bus;
  };
  const expectRefusal = (address: string) =>
    expect(open(address)).rejects.toMatchObject({ code: "bad_setting" });

  it("[NODE-1] takes a user and password of the address, over TLS whose authority the process knows", {
    tags: "long",
  }, async () => {
    const folder = await makeFolder();
    const { cert, key } = await writeCertificate(folder, makeCertificate());
    const args = ["--user", "merkle", "--pass", "a/word", "--tls", "--tlscert", cert, "--tlskey", key];
    const { url } = await startNatsServer({ args });
    const toUrl = (user: string) => url.replace("nats://127.0.0.1", `tls://${user}@localhost`);
    await expectRefusal(toUrl("merkle:a%2Fword"));
    // A process reads its trusted certificates when it starts.
    const run = async (user: string) => {
      const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
      const code = `
        const { startBus } = await import(${JSON.stringify(new URL("../../../dist/core/bus/start-bus.js", import.meta.url).href)});
        const log = { info() {}, warn() {} };
        const bus = await startBus({ address: ${JSON.stringify(toUrl(user))}, target: "", brokerId: "b", nodeId: "n", secret: "s", log });
        console.log(bus.isUp);
        await bus.stop();`;
      const args = ["--input-type=module", "--eval", code];
      return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim();
    };
    expect(await run("merkle:a%2Fword")).toBe("true");
    await expect(run("merkle:another")).rejects.toThrow("refused the connection");
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
      await expectRefusal(address);
  });
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-nats-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Creates a NATS operator with one account and one user, as NATS's own tool does. Returns the server's
 * configuration and the user's credentials file.
 */
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

const [session, mesh, id] = [randomUUID(), randomUUID(), randomUUID()];

/** One hint of each kind. */
const samples: { readonly [Kind in HintKind]: Hints[Kind] } = {
  feed: { session, sequence: 7, changes: ["sessions", "attention"], closed: true },
  changed: { session, kind: "document" },
  presence: { session },
  mesh: { kind: "person", mesh, session: null, person: id },
  state: { mesh, session, key: "release/branch" },
  credential: { session: null, id },
  revoked: { mesh, token: 3 },
  settings: {},
  held: { session, peer: id },
  left: { session },
  unsaved: { peer: id },
  nudge: { id },
  nudged: { id },
  mcp: { session: "hash" },
  jobs: { mesh, job: 4 },
  settle: { id },
  settled: { id, node: id },
  here: {},
  nodes: {},
  lost: {},
};
const kinds = Object.keys(samples) as HintKind[];
