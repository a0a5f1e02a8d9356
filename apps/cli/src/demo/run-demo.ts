import { toDashboardUrl } from "../broker/address.js";
import type { CommandContext } from "../command/command.js";
import { type Flags, isSet, textOf } from "../command/flags.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { type Played, playStory } from "./play-story.js";
import { findStageBroker, keepUntilStopped, type StageBroker } from "./stage-broker.js";

/** Plays the story on a broker and checks it; with a broker of its own, that is gone afterwards (DEMO-1, DEMO-4). */
export async function runDemo(context: CommandContext): Promise<number> {
  const pace = readPace(context.flags);
  const broker = await findStageBroker(context);
  try {
    const played = await playStory(context, broker, pace);
    const kept = broker.own && isSet(context.flags, "keep");
    tell(context, broker, played);
    if (kept) await keepUntilStopped(broker, context);
    return exitCodes.done;
  } finally {
    await broker.own?.stop();
  }
}

function tell({ config, flags, output }: CommandContext, { url, own }: StageBroker, played: Played): void {
  const { slug, messages, document_version, seconds } = played;
  const { mark } = output;
  output.show(
    { ...played, url },
    [
      `${mark.ok} ${messages} messages without a gap, each once and in order, read by all three`,
      `${mark.ok} document v${document_version}: two wrote at the same time, nothing was lost`,
      `${mark.ok} concluded after ${seconds} s; the broker's record matches what was seen`,
    ].join("\n"),
  );
  const stays = !own || isSet(flags, "keep");
  const address = own && config.broker.source !== "--url" ? ` --url ${url}` : "";
  if (stays) {
    output.note(`  next: ${toDashboardUrl(url, played)}`);
    output.note(`        merkle tail ${slug} --since 0${address}`);
    output.note(`        merkle launch --session my-work --team "My Team"${address}`);
  } else {
    output.note(`  next: merkle up, then merkle launch --session my-work --team "My Team"`);
    output.note(`        the demo's broker is removed, and its session with it; merkle demo --keep keeps it`);
  }
}

const slowPace = 4;

/** How many times slower than half a minute the demo plays. */
export function readPace(flags: Flags): number {
  const text = textOf(flags, "pace");
  if (text === undefined) return isSet(flags, "slow") ? slowPace : 1;
  const pace = Number(text);
  if (text.trim() !== "" && pace >= 0 && pace <= 60) return pace;
  throw usageError(`--pace must be a number from 0 to 60, got ${JSON.stringify(text)}.`);
}
