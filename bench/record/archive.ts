import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { LongestTurn } from "../broker-process.js";
import { type Figure, formatMegabytes, formatSeconds, timeCall } from "./figures.js";
import type { LongSession } from "./long-session.js";
import { forgetPeak, readPeak } from "./peak-memory.js";

/** An object store on this machine, with the broker options for using it. */
export interface Storage {
  readonly archive: {
    readonly url: string;
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken: undefined;
  };
  stop(): Promise<void>;
}

export async function startStorage(folder: string): Promise<Storage> {
  const program = fileURLToPath(new URL("../../../tests/kit/s3-server-child.mjs", import.meta.url));
  const server: ChildProcess = spawn(process.execPath, [program, folder, "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(server, "exit");
  const [port] = await once(server.stdout ?? server, "data");
  return {
    archive: {
      url: `s3://merkle/bench?endpoint=${encodeURIComponent(`http://127.0.0.1:${Number(port)}`)}`,
      accessKeyId: "S3RVER",
      secretAccessKey: "S3RVER",
      sessionToken: undefined,
    },
    async stop() {
      server.kill();
      await exited;
    },
  };
}

/** Measures moving a long session to an object store on the same machine, and back. */
export async function measureArchive(long: LongSession): Promise<Figure[]> {
  const team_id = await makePerson(long);
  const before = await long.sizeOf("messages");
  const away = await measure(long, "archive", team_id);
  const after = await long.sizeOf("messages");
  await long.vacuum("");
  const vacuumed = await long.sizeOf("messages");
  await long.vacuum("FULL");
  const full = await long.sizeOf("messages");
  const back = await measure(long, "unarchive", team_id);
  const { bundle, rows } = away.answer as Record<"bundle" | "rows", { bytes: number }>;
  return [
    { name: "archive it", value: formatSeconds(away.ms) },
    {
      name: "the bundle, and the rows beside it",
      value: `${formatMegabytes(bundle.bytes)}, ${formatMegabytes(rows.bytes)}`,
    },
    ...away.figures,
    {
      name: "messages on the disk: before, after, after VACUUM, after VACUUM FULL",
      value: [before, after, vacuumed, full].map(formatMegabytes).join(", "),
    },
    { name: "bring it back", value: formatSeconds(back.ms) },
    ...back.figures,
    { name: "messages on the disk then", value: formatMegabytes(await long.sizeOf("messages")) },
  ];
}

async function measure(long: LongSession, what: "archive" | "unarchive", team_id: string) {
  const { broker, session_id } = long;
  await broker.ask<LongestTurn>({ loop: "watch" });
  const canReadPeak = await forgetPeak(broker.pid);
  const { ms, result: answer } = await timeCall(() =>
    askUntilDone(`${broker.url}/api/sessions/${session_id}/${what}`, { team_id }),
  );
  const peak = canReadPeak ? formatMegabytes(await readPeak(broker.pid)) : "not told by this system";
  const { ms: held } = await broker.ask<LongestTurn>({ loop: "read" });
  const figures = [
    { name: "memory of the broker at most meanwhile", value: peak },
    { name: "longest turn of the event loop meanwhile", value: `${held.toFixed(1)} ms` },
  ];
  return { ms, answer, figures };
}

/**
 * Repeats the request until the work is done, as the command does, because the work can take longer than a reply may
 * take.
 */
async function askUntilDone(url: string, body: object): Promise<unknown> {
  for (;;) {
    const response = await post(url, body);
    if (response.ok) return response.json();
    if (response.status !== 503) throw new Error(await response.text());
    await response.text();
    await delay(200);
  }
}

async function makePerson({ broker }: LongSession): Promise<string> {
  const made = await post(`${broker.url}/api/verification-codes`, { home_key: broker.homeKey });
  const { code } = (await made.json()) as { code: string };
  const person = await post(`${broker.url}/api/persons`, { name: "Ana", code });
  return ((await person.json()) as { person_id: string }).person_id;
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}
