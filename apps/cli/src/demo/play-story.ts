import { neutralise } from "@merkle/wire/text";
import { openLiveClient } from "../broker/live-client.js";
import type { CommandContext } from "../command/command.js";
import { wrapLine } from "../text/wrap-line.js";
import { checkOutcome } from "./check-outcome.js";
import { type Child, startChild } from "./child.js";
import { failure } from "./expected.js";
import { createShow } from "./show.js";
import type { StageBroker } from "./stage-broker.js";
import { cast, type Role, session } from "./story.js";
import { watchFeed, within } from "./watch-feed.js";

export interface Played {
  readonly session_id: string;
  readonly slug: string;
  readonly title: string;
  readonly messages: number;
  readonly document_version: number;
  readonly seconds: number;
}

/** The time that a step may take on a machine that is busy, and how long the longest one is thought about. */
const answerWithinMs = 20_000;
const thinkingMsMax = 5_000;

/**
 * Starts those who play, follows what they do, and checks it. None of them is left when it resolves or rejects.
 *
 * @throws the demo's failure, saying what was expected and what came
 */
export async function playStory(
  { output, signal }: CommandContext,
  { url, address, own }: StageBroker,
  pace: number,
): Promise<Played> {
  const startedAt = performance.now();
  const deadlineMs = answerWithinMs + pace * thinkingMsMax;
  const client = await openLiveClient(address, signal);
  const troupe: Child[] = [];
  const start = (role: Role, ...args: string[]): Child => {
    const child = startChild(role, ["--url", url, ...reachFlags(address), "--pace", String(pace), ...args]);
    troupe.push(child);
    return child;
  };
  try {
    const late = () => failure(`${cast.atlas} to open a session`, "nothing came");
    const opened = readOpened(
      await within(deadlineMs, unlessAborted(start("atlas").firstLine, signal), late),
    );
    const { session_id } = opened;
    start("birch", "--session", session_id);
    start("ana", "--session", session_id);

    const show = createShow(output, { client, session_id, signal });
    for (const line of introduction(url)) show.say(wrapLine(line, output.columns).join("\n"));
    const failed = failureOf(own ? [...troupe, own] : troupe);
    const messages = await watchFeed({
      client,
      session_id,
      deadlineMs,
      signal,
      failed,
      onMessage: show.message,
      onDocument: show.document,
    });
    const stillRuns = () => failure("all three to end with the session", "one of them still runs");
    const done = Promise.race([Promise.all(troupe.map((child) => child.done)), failed]);
    await within(deadlineMs, unlessAborted(done, signal), stillRuns);
    const { title, document, documentVersion } = await checkOutcome(client, { session_id, messages, signal });
    await show.shown();
    show.say(`\nThe document, version ${documentVersion}:\n\n${quoteDocument(document, output.columns)}\n`);
    return {
      ...opened,
      title,
      messages: messages.length,
      document_version: documentVersion,
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    };
  } finally {
    await Promise.all(troupe.map((child) => child.stop()));
    await client.close();
  }
}

/** The flags by which this process was told how to speak to the broker. */
function reachFlags({ reach }: StageBroker["address"]): string[] {
  return [...(reach?.insecure ? ["--insecure"] : []), ...(reach?.ca === undefined ? [] : ["--ca", reach.ca])];
}

function introduction(url: string): string[] {
  return [
    `${cast.atlas} and ${cast.birch} are two teams; ${cast.ana} is a human. Each runs in its own process.`,
    "What they say is scripted, everything else is real: no model is called.",
    `${cast.atlas} has opened "${session.title}" at ${url}.`,
    "",
  ];
}

function quoteDocument(content: string, columns: number): string {
  const lines = neutralise(content.trimEnd()).split("\n");
  return lines.flatMap((line) => (line === "" ? [line] : wrapLine(`  ${line}`, columns, "  "))).join("\n");
}

function readOpened(said: unknown): { session_id: string; slug: string } {
  if (typeof said === "object" && said !== null && "session_id" in said && "slug" in said) {
    return { session_id: String(said.session_id), slug: String(said.slug) };
  }
  throw failure(`${cast.atlas} to name its session`, `came ${JSON.stringify(said)}`);
}

/** Never resolves; rejects when one of them has failed. */
function failureOf(children: readonly Child[]): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    for (const child of children) child.done.catch(reject);
  });
  failed.catch(() => undefined);
  return failed;
}

/** @throws the signal's reason, as soon as it is aborted */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
