import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { deriveSigningKey } from "@merkle/wire/keys";
import {
  checkFork,
  checkHeadWitnessed,
  compareCheckpoint,
  encodeCosignature,
  formatFork,
  formatLogEntry,
  formatLogProof,
  formatSignatureLine,
  formatVerifierKey,
  joinCosignature,
  noteKeyTypes,
  parsePolicy,
  type SignedHead,
} from "@merkle/wire/record";
import { createRandom, type Random } from "../faults/random.js";
import { type MadeLog, madeLogKey, madeLogSigner, makeLog } from "../kit/made-log.js";
import { cosignLine, type NoteSigner, noteCrypto, noteSigners, signLine } from "../kit/witness-vectors.js";
import { makeBundle } from "./made-bundle.js";

/** Time in seconds at which readers verify. */
const now = 1_796_000_000;

/** What an operator shows to a reader whose policy requires witnesses. The operator has every key but theirs. */
interface Showing {
  readonly name: string;
  readonly head: SignedHead;
  readonly proof: string;
  readonly policy: string;
  /** What the error must say, or the witness that must be named. Null if too few witnesses cosigned. */
  readonly error: RegExp | null;
  readonly named?: string;
}

export interface AcceptedShowing {
  readonly number: number;
  readonly name: string;
  readonly found: unknown;
}

/** A mesh's log with the heads of a session, an honest one and one that the operator made for somebody else. */
interface Logs {
  readonly heads: readonly SignedHead[];
  readonly honest: MadeLog;
  readonly forked: MadeLog;
  readonly forkedHeads: readonly SignedHead[];
  /** The first index at which the two differ. */
  readonly forkedAt: number;
}

function makeLogs(random: Random): Logs {
  const honest = makeBundle({ keys: [madeLogSigner], messages: 40 });
  const other = makeBundle({ keys: [madeLogSigner], messages: 40, recordId: honest.recordId });
  const size = random.between(2, 20);
  const forkedAt = random.between(0, size - 1);
  const heads = Array.from({ length: size }, (_, index) => honest.headAt(index + 1));
  const forkedHeads = heads.map((head, index) => (index < forkedAt ? head : other.headAt(index + 1)));
  const toLog = (all: readonly SignedHead[]) => makeLog(all.map((head) => formatLogEntry({ head })));
  return { heads, honest: toLog(heads), forked: toLog(forkedHeads), forkedHeads, forkedAt };
}

/** The witnesses of a policy: n of them, of which k must cosign. `lying` of them cosign whatever they are shown. */
interface Witnesses {
  readonly all: readonly NoteSigner[];
  readonly least: number;
  readonly lying: readonly NoteSigner[];
  readonly policy: string;
}

function makeWitnesses(random: Random): Witnesses {
  const total = random.between(1, 5);
  const all = Array.from({ length: total }, (_, index) => makeWitness(index));
  // With 2k - n - 1 liars or fewer, an honest witness is needed for either history.
  const least = random.between(Math.floor((total + 1) / 2) + (total > 1 ? 1 : 0), total);
  const lying = random.shuffle(all).slice(0, random.between(0, Math.max(0, 2 * least - total - 1)));
  return { all, least, lying, policy: formatWitnesses(all, least) };
}

function makeWitness(index: number): NoteSigner {
  const signer = deriveSigningKey(new Uint8Array(32).fill(100 + index));
  const publicKey = Buffer.from(signer.publicKey, "base64url");
  const key = { name: `witness${index}.example`, type: noteKeyTypes.witness, publicKey };
  return {
    key,
    vkey: formatVerifierKey(key, noteCrypto.sha256),
    sign: (bytes) => Buffer.from(signer.sign(bytes), "base64url"),
  };
}

function formatWitnesses(all: readonly NoteSigner[], least: number): string {
  return [
    `log ${noteSigners.log.vkey}`,
    ...all.map(({ vkey }, index) => `witness w${index} ${vkey}`),
    `group all ${least} ${all.map((_, index) => `w${index}`).join(" ")}`,
    "quorum all",
    "",
  ].join("\n");
}

type Change = (logs: Logs, witnesses: Witnesses, random: Random) => Promise<Omit<Showing, "name">>;

/** Shows the newest head of a log, with the given lines under its checkpoint. */
async function show(
  { log, heads, size = heads.length }: { log: MadeLog; heads: readonly SignedHead[]; size?: number },
  lines: (text: string) => readonly string[],
): Promise<Pick<Showing, "head" | "proof">> {
  const head = heads[size - 1];
  if (!head) throw new RangeError(`There is no head ${size}.`);
  const { note } = await log.sign(size);
  const cosigned = `${note}${lines(await log.describe(size)).join("")}`;
  const proof = formatLogProof({ index: size - 1, path: await log.includes(size - 1, size), note: cosigned });
  return { head, proof };
}

const toHonest = ({ honest: log, heads }: Logs) => ({ log, heads });
const toForked = ({ forked: log, forkedHeads: heads }: Logs) => ({ log, heads });
const cosignAll =
  (signers: readonly NoteSigner[], at = now) =>
  (text: string) =>
    signers.map((signer) => cosignLine(signer, text, at));

const changes: Readonly<Record<string, Change>> = {
  async "a fork that honest witnesses do not cosign"(logs, { lying, policy }) {
    return { ...(await show(toForked(logs), cosignAll(lying))), policy, error: null };
  },
  async "cosignatures that are withheld"(logs, { all, least, policy }, random) {
    const some = random.shuffle(all).slice(0, random.between(0, least - 1));
    return { ...(await show(toHonest(logs), cosignAll(some))), policy, error: null };
  },
  async "cosignatures replayed on another history"(logs, { all, policy }) {
    const text = await logs.honest.describe();
    return { ...(await show(toForked(logs), () => cosignAll(all)(text))), policy, error: /signature of/ };
  },
  async "cosignatures replayed on another size"(logs, { all, policy }, random) {
    const size = random.between(1, logs.heads.length - 1);
    const text = await logs.honest.describe(size);
    return { ...(await show(toHonest(logs), () => cosignAll(all)(text))), policy, error: /signature of/ };
  },
  async "the time of a cosignature is changed"(logs, { all, policy }, random) {
    const [first = noteSigners.ada] = random.shuffle(all);
    const later = (text: string) => {
      const signature = first.sign(encodeCosignature(text, now - 86_400));
      return [formatSignatureLine(first.key, joinCosignature(now, signature), noteCrypto.sha256)];
    };
    return { ...(await show(toHonest(logs), later)), policy, error: /signature of/ };
  },
  async "a witness's clock is ahead"(logs, { all, policy }, random) {
    const index = random.between(0, all.length - 1);
    const at = now + random.between(301, 1_000_000);
    const lines = (text: string) =>
      all.slice(index, index + 1).flatMap((each) => cosignAll([each], at)(text));
    return { ...(await show(toHonest(logs), lines)), policy, error: null, named: `w${index}` };
  },
  async "a signature over the text in place of a cosignature"(logs, { all, policy }) {
    const lines = (text: string) =>
      all.map(({ key, sign }) => signLine({ key: { ...key, type: noteKeyTypes.log }, sign, vkey: "" }, text));
    return { ...(await show(toForked(logs), lines)), policy, error: null };
  },
  async "one key under two names in the policy"(logs, { all, policy }) {
    const [first = noteSigners.ada] = all;
    const twin = { ...first.key, name: "twin.example" };
    const second = { ...first, key: twin, vkey: formatVerifierKey(twin, noteCrypto.sha256) };
    const lines = cosignAll([first, second]);
    const twice = formatWitnesses([first, second], 2);
    return { ...(await show(toForked(logs), lines)), policy: policy && twice, error: /twice/ };
  },
  async "the broker's key as a witness"(logs) {
    const key = { ...noteSigners.log.key, name: "broker.example", type: noteKeyTypes.witness };
    const own = { ...noteSigners.log, key, vkey: formatVerifierKey(key, noteCrypto.sha256) };
    const policy = formatWitnesses([own], 1);
    return { ...(await show(toForked(logs), cosignAll([own]))), policy, error: /twice/ };
  },
  async "a head that is not in the log"(logs, { all, policy }) {
    const { proof } = await show(toHonest(logs), cosignAll(all));
    const head = logs.forkedHeads.at(-1);
    if (!head) throw new RangeError("There is no head.");
    return { head, proof, policy, error: /head|entry/ };
  },
  async "a hash of the proof is changed"(logs, { all, policy }, random) {
    const { head, proof } = await show(toHonest(logs), cosignAll(all));
    const lines = proof.split("\n");
    const at = random.between(2, lines.indexOf("") - 1);
    lines[at] = Buffer.alloc(32, random.between(0, 255)).toString("base64");
    return { head, proof: lines.join("\n"), policy, error: /head|entry/ };
  },
  async "another form of the same note"(logs, { all, policy }, random) {
    const { head, proof } = await show(toHonest(logs), cosignAll(all));
    const size = `\n${logs.heads.length}\n`;
    const forms = [
      proof.replace(size, size.replace("\n", "\n0")),
      proof.replace(/\n/g, "\r\n"),
      proof.replace(size, size.replace("\n", "\n+")),
      proof.replaceAll("=\n", "\n"),
      proof.replace(/\u2014 witness/, "\u2014  witness"),
      proof.replace(size, `${size}more\n`),
      proof.replace("\n\n", `\n${"AAAA".repeat(10)}AAA=\n`.repeat(64)),
      proof.replace("index ", "index 0"),
      proof.slice(0, -1),
      proof.replace("merkle/", "merkle+/"),
    ].filter((form) => form !== proof);
    return { head, proof: random.pick(forms as [string]), policy, error: /./ };
  },
};

/** Shows logs to a reader in random ways. Returns those that are accepted, or whose fault is not named. */
export async function tamperWithLogs(count: number, seed: number): Promise<AcceptedShowing[]> {
  const missed: AcceptedShowing[] = [];
  for (const { number, showing } of await makeShowings(count, seed)) {
    const found = await read(showing);
    const isMissed =
      found.isEnough || (showing.error ? !showing.error.test(found.error) : found.error !== "");
    const isNamed = showing.named === undefined || found.ahead.includes(showing.named);
    if (isMissed || !isNamed) missed.push({ number, name: showing.name, found });
  }
  const random = createRandom(seed);
  const [logs, { all, policy }] = [makeLogs(random), makeWitnesses(random)];
  const whole = {
    ...(await show(toHonest(logs), cosignAll(all))),
    policy,
    error: null,
    name: "an honest log",
  };
  const accepted = await read(whole);
  if (!accepted.isEnough) missed.push({ number: 0, name: whole.name, found: accepted });
  return missed;
}

async function read({ head, proof, policy }: Showing) {
  try {
    const parsed = parsePolicy(policy, noteCrypto.sha256);
    const options = { ...noteCrypto, proof, policy: parsed, keys: [madeLogKey], now };
    const { isEnough, ahead } = await checkHeadWitnessed(head, options);
    return { isEnough, ahead, error: "" };
  } catch (error) {
    return { isEnough: false, ahead: [], error: String(error) };
  }
}

async function makeShowings(count: number, seed: number) {
  const random = createRandom(seed);
  const names = Object.keys(changes);
  const showings: { number: number; showing: Showing }[] = [];
  let logs = makeLogs(random);
  for (let number = 1; number <= count; number++) {
    if (number % 20 === 0) logs = makeLogs(random);
    const name = names[number % names.length] ?? "";
    const change = changes[name];
    if (change)
      showings.push({ number, showing: { name, ...(await change(logs, makeWitnesses(random), random)) } });
  }
  return showings;
}

/** Shows the same logs to the Python verifier, which shares no code with Merkle. */
export async function tamperWithLogsForPython(count: number, seed: number): Promise<AcceptedShowing[]> {
  const showings = await makeShowings(count, seed);
  const answers = await runPython(
    `def read(case):
    try:
        policy = verify_record.read_policy(case["policy"])
        _, (_, enough) = verify_record.check_proof(case["proof"], policy, case["entry"].encode(), ${now})
        return [enough, ""]
    except verify_record.UNREADABLE as reason:
        return [False, repr(reason)]`,
    showings.map(({ showing: { head, proof, policy } }) => ({
      proof,
      policy,
      entry: formatLogEntry({ head }),
    })),
  );
  return showings.flatMap(({ number, showing: { name, error } }, place) => {
    const [isEnough, reason] = answers[place] ?? [true, ""];
    const isMissed = isEnough || (error !== null) !== (reason !== "");
    return isMissed ? [{ number, name, found: { isEnough, reason } }] : [];
  });
}

/**
 * Lets two members compare what an operator showed them, with no witness. Returns the forks that are not found, and
 * those of which the evidence does not hold, here or in Python.
 */
export async function compareForks(count: number, seed: number): Promise<AcceptedShowing[]> {
  const random = createRandom(seed);
  const missed: AcceptedShowing[] = [];
  const evidence: { readonly number: number; readonly text: string }[] = [];
  for (let number = 1; number <= count; number++) {
    const { honest, forked, forkedAt, heads } = makeLogs(random);
    const from = random.between(forkedAt + 1, heads.length);
    const size = random.between(from, heads.length);
    const shown = { ...(await forked.sign(size)), consistency: await forked.prove(from, size) };
    const found = await compareCheckpoint(await honest.sign(from), shown, noteCrypto);
    if (found.outcome === "fork") {
      await checkFork(found.evidence, { ...noteCrypto, known: [madeLogKey] });
      evidence.push({ number, text: formatFork(found.evidence).trimEnd() });
    } else missed.push({ number, name: `a fork at ${forkedAt}, seen at ${from} and ${size}`, found });
    const same = { ...(await honest.sign(size)), consistency: await honest.prove(from, size) };
    const continued = await compareCheckpoint(await honest.sign(from), same, noteCrypto);
    if (continued.outcome !== (from === size ? "same" : "later")) {
      missed.push({ number, name: "an honest log that is not accepted", found: continued });
    }
  }
  const answers = await runPython(
    `def read(text):
    try:
        verify_record.check_fork(text, "${madeLogKey.public_key}")
        return [True, ""]
    except verify_record.UNREADABLE as reason:
        return [False, repr(reason)]`,
    evidence.map(({ text }) => text),
  );
  for (const [place, { number }] of evidence.entries()) {
    const [isProven, reason] = answers[place] ?? [false, "no answer"];
    if (!isProven) missed.push({ number, name: "evidence that Python refuses", found: reason });
  }
  return missed;
}

/** Runs a function `read` of Python on each value. */
function runPython(read: string, values: readonly unknown[]): Promise<readonly [boolean, string][]> {
  const script = `import json, sys; sys.path.insert(0, sys.argv[1]); import verify_record
${read}
print(json.dumps([read(value) for value in json.load(sys.stdin)]))`;
  const docs = fileURLToPath(new URL("../../docs", import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile("python3", ["-B", "-c", script, docs], { maxBuffer: 2 ** 28 }, (error, stdout) =>
      error ? reject(error) : resolve(JSON.parse(stdout)),
    );
    child.stdin?.end(JSON.stringify(values));
  });
}
