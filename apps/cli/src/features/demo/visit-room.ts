import { EventEmitter, on } from "node:events";
import type { Message } from "@merkle/wire";
import type { FollowOptions, MerkleClient } from "@merkle/wire/client";
import { openLiveClient } from "../../broker/live-client.js";
import { toReach } from "../../broker/reach.js";
import type { CommandContext } from "../../command/command.js";
import { toDashboardUrl } from "../../core/address.js";
import { exitCodes } from "../../core/cli-error.js";
import { createDemoPrinter } from "./demo-printer.js";
import { findStageBroker, keepUntilStopped, type StageBroker } from "./stage-broker.js";

/**
 * Opens the broker's demo room, and shows the events up to the question that the agents ask. On a configured
 * broker, the command then ends and the session stays open. The demo's own broker runs until Ctrl+C, and the
 * effect of the user's answer is shown (DEMO-6).
 */
export async function visitRoom(context: CommandContext): Promise<number> {
  const { output, signal } = context;
  const broker = await findStageBroker(context);
  try {
    const { client, ...room } = await enterRoom(context, broker);
    try {
      const printer = createDemoPrinter(output, { client, session_id: room.session_id, signal });
      const feed = followFeed(client, {
        session: room.session_id,
        signal,
        onChanged: ({ kind }) => void (kind === "document" && printer.printDocumentChange()),
      });
      printer.printLine(`Two scripted agents argue at ${broker.url}; no model is called.\n`);
      const ask = await printUntil(feed, printer.printMessage, ({ content }) => content["kind"] === "ask");
      await printer.waitUntilPrinted();
      printNextSteps(context, broker, { ...room, ask });
      if (!broker.own) return exitCodes.done;
      // Continues in the background, so that the messages after the user's answer are shown too.
      printUntil(feed, printer.printMessage, () => false).catch(() => undefined);
      await keepUntilStopped(broker, context);
      return exitCodes.done;
    } finally {
      await client.close();
    }
  } finally {
    await broker.own?.stop();
  }
}

interface Room {
  readonly mesh: string;
  readonly session_id: string;
  readonly session: string;
}

/** Opens the demo room, and a connection to its mesh. */
async function enterRoom(
  { config, signal }: CommandContext,
  { address }: StageBroker,
): Promise<Room & { readonly client: MerkleClient }> {
  const lobby = await openLiveClient(address, signal);
  try {
    const room = await lobby.call("open_demo_room", {}, { signal });
    const reach = { ...toReach(address.reach ?? config), mesh: room.mesh, token: undefined };
    return { ...room, client: await openLiveClient({ ...address, reach }, signal) };
  } finally {
    await lobby.close();
  }
}

async function printUntil(
  feed: AsyncGenerator<Message>,
  printMessage: (message: Message) => Promise<void>,
  isLast: (message: Message) => boolean,
): Promise<Message | null> {
  for (;;) {
    const { value, done } = await feed.next();
    if (done) return null;
    await printMessage(value);
    if (isLast(value)) return value;
  }
}

type DemoFeedOptions = Pick<FollowOptions, "session" | "onChanged"> & { readonly signal: AbortSignal };

/**
 * Yields a session's messages from the first message on, as they arrive. Ends when the signal is aborted, or
 * throws the subscription's error.
 */
async function* followFeed(
  client: MerkleClient,
  { signal, ...options }: DemoFeedOptions,
): AsyncGenerator<Message> {
  const feed = new EventEmitter<{ message: [Message]; error: [Error] }>();
  const arrivals = on(feed, "message", { signal });
  const subscription = client.follow({
    ...options,
    after: 0,
    onMessage: (message) => void feed.emit("message", message),
    onError: (error) => void feed.emit("error", error),
  });
  try {
    for await (const [message] of arrivals) yield message;
  } finally {
    subscription.close();
  }
}

function printNextSteps(
  { config, output }: CommandContext,
  { url, own }: StageBroker,
  { mesh, session_id, session: slug, ask }: Room & { readonly ask: Message | null },
): void {
  const { text = "", options = [] } = ask?.content ?? {};
  const page = `${toDashboardUrl(url, { slug })}?mesh=${mesh}`;
  output.show(
    { session_id, slug, mesh, ask: { sequence: ask?.sequence ?? null, text, options }, url: page },
    `\n${output.mark.ok}both agents are waiting for your answer`,
  );
  const address = own && config.broker.source !== "--url" ? ` --url ${url}` : "";
  output.note(`  answer: ${page}`);
  output.note(`  follow: merkle tail ${slug} --mesh ${mesh}${address}`);
}
