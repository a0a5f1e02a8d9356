import type { PostsAnswer } from "../load-posts.js";
import { startJetStream } from "../nats-server.js";
import { definePart, type Figure, type Pace, warmUpTimes } from "../part.js";
import { openSessions, type TeamInSession } from "../places.js";
import { startRedisServer } from "../reference/redis-server.js";
import type { Stage } from "../stage.js";

const cases = [
  { name: "1 poster", connections: 1 },
  { name: "100 posters", connections: 100 },
] as const;
type CaseName = (typeof cases)[number]["name"];

const peerNames = {
  relay: "relay: ws and INSERT",
  queue: "queue: INSERT and NOTIFY",
  mailbox: "mailbox: Git commits",
  jetStream: "JetStream, synced",
  redis: "Redis Streams, synced",
} as const;
type PeerName = keyof typeof peerNames;

type Answers = Readonly<Record<CaseName, PostsAnswer>>;

interface Round {
  readonly merkle: Answers;
  /** A server that is not installed is missing. */
  readonly peers: Readonly<Partial<Record<PeerName, Answers>>>;
}

/**
 * The same durable posts to the broker and to what people might use instead. All of them are separate processes, get the
 * same messages from the same callers, and reply once a message is on disk.
 */
export const peers = definePart<Round>({
  name: "peers",
  rounds: { quick: 2, full: 5 },
  // A post to the mailbox that waits for 99 others takes longer than the measurement, so it has no p50.
  figures: cases.flatMap(({ name }) => [
    ...allPeers().map((peer) => beside(peer, name, "perSecond")),
    ...allPeers()
      .filter((peer) => peer !== "mailbox" || name === "1 poster")
      .map((peer) => beside(peer, name, "p50")),
  ]),
  async open(stage, pace) {
    const broker = await stage.startBroker();
    const [place] = await openSessions(broker.url, { sessions: 1, teams: 1 });
    if (!place) throw new Error("There is no session to post to.");
    const relay = await stage.startReference("relay");
    const queue = await stage.startReference("queue");
    const mailbox = await stage.startReference("mailbox");
    const [jetStream, redis] = [await startJetStream(stage.folder), await startRedisServer(stage.folder)];
    const urls = {
      relay: relay.socketUrl,
      queue: queue.socketUrl,
      mailbox: mailbox.socketUrl,
      jetStream: jetStream?.url,
      redis: redis?.url,
    };
    const measure = async (times: Times) => ({
      merkle: await measureServer(stage, broker.socketUrl, place, times),
      peers: await measurePeers(stage, urls, place, times),
    });
    return {
      warmUp: () => measure(warmUpTimes),
      measure: () => measure(pace),
      async close() {
        const servers = [broker, relay, queue, mailbox, jetStream, redis];
        await Promise.all(servers.map((each) => each?.stop()));
      },
    };
  },
  notes: ([round]) =>
    allPeers()
      .filter((peer) => round && !round.peers[peer])
      .map((peer) => `${peerNames[peer]}: not measured, because it is not installed here, or too old.`),
});

type Times = Pick<Pace, "warmUpMs" | "measureMs">;

function allPeers(): readonly PeerName[] {
  // The object has no other keys.
  return Object.keys(peerNames) as PeerName[];
}

async function measurePeers(
  stage: Stage,
  urls: Readonly<Record<PeerName, string | undefined>>,
  place: TeamInSession,
  times: Times,
): Promise<Round["peers"]> {
  const answers: Partial<Record<PeerName, Answers>> = {};
  for (const peer of allPeers()) {
    const url = urls[peer];
    if (url !== undefined) answers[peer] = await measureServer(stage, url, place, times);
  }
  return answers;
}

async function measureServer(
  stage: Stage,
  url: string,
  place: TeamInSession,
  { warmUpMs, measureMs }: Times,
): Promise<Answers> {
  const answers = {} as Record<CaseName, PostsAnswer>;
  for (const { name, connections } of cases) {
    const among = { socketUrls: [url], places: [place], connections, inFlightEach: 1 };
    answers[name] = await stage.load<PostsAnswer>({ posts: { ...among, warmUpMs, measureMs } });
  }
  return answers;
}

function beside(peer: PeerName, name: CaseName, which: "perSecond" | "p50"): Figure<Round> {
  return {
    name: which === "p50" ? `${name}, p50` : name,
    unit: which === "p50" ? "ms" : "posts/s",
    limitName: peerNames[peer],
    value: ({ merkle }) => merkle[name][which],
    limit: (round) => round.peers[peer]?.[name][which] ?? null,
  };
}
