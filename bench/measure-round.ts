import type { DeliveryCase, PostsCase, PostsCost, RawCase, Round } from "./figures.js";
import type { FanOutAnswer } from "./load-fan-out.js";
import type { PostsAnswer } from "./load-posts.js";
import type { Places } from "./places.js";
import type { RawAnswer } from "./raw.js";
import type { Stage } from "./stage.js";
import type { Latency } from "./statistics.js";

export interface Times {
  readonly warmUpMs: number;
  readonly measureMs: number;
}

const postsCases: readonly {
  name: PostsCase;
  connections: number;
  inFlightEach: number;
  over100: boolean;
}[] = [
  { name: "1", connections: 1, inFlightEach: 1, over100: false },
  { name: "10", connections: 10, inFlightEach: 1, over100: false },
  { name: "100", connections: 100, inFlightEach: 1, over100: false },
  { name: "100 over 100", connections: 100, inFlightEach: 1, over100: true },
  { name: "1000", connections: 100, inFlightEach: 10, over100: false },
  { name: "1000 over 100", connections: 100, inFlightEach: 10, over100: true },
];

/** Measures everything once; what is compared with one another takes turns. */
export async function measureRound(stage: Stage, places: Places, times: Times): Promise<Round> {
  const posts = {} as Record<PostsCase, PostsCost>;
  const raw = {} as Record<RawCase, RawAnswer>;
  for (const { name, connections, inFlightEach, over100 } of postsCases) {
    const cpuBefore = await stage.brokerCpu();
    const answer = await stage.load<PostsAnswer>({
      posts: {
        socketUrl: stage.socketUrl,
        places: over100 ? places.hundred : [places.posting],
        connections,
        inFlightEach,
        ...times,
      },
    });
    const cpu = (await stage.brokerCpu()) - cpuBefore;
    posts[name] = { ...answer, brokerCpuMicrosecondsEach: cpu / answer.posts };
    raw[name] = await stage.raw.batches({
      rows: connections * inFlightEach,
      feeds: over100 ? 100 : 1,
      measureMs: times.measureMs,
    });
  }
  raw["each by itself"] = await stage.raw.eachByItself({ callers: 100, measureMs: times.measureMs });

  const pacedRow = await stage.raw.batches({
    rows: 1,
    feeds: 1,
    measureMs: times.measureMs,
    pauseMs: pauseMs(2),
  });
  const delivery = {} as Record<DeliveryCase, Latency>;
  for (const receivers of [2, 100] as const) {
    for (const way of ["websocket", "long-poll"] as const) {
      delivery[`${way} ${receivers}`] = await stage.load<Latency>({
        delivery: {
          url: stage.url,
          socketUrl: stage.socketUrl,
          way,
          poster: places.reading,
          receivers: places.readers.slice(0, receivers),
          pauseMs: pauseMs(receivers),
          measureMs: times.measureMs,
        },
      });
    }
  }

  const fanOutOptions = { receivers: 100, inFlight: 16, ...times };
  const fanOut = await stage.load<FanOutAnswer>({
    fanOut: { socketUrl: stage.socketUrl, poster: places.reading, ...fanOutOptions },
  });
  const broadcastUrl = await stage.broadcast({ bytes: fanOut.bytesEach });
  const broadcast = await stage.load<FanOutAnswer>({
    fanOut: { socketUrl: broadcastUrl, poster: null, ...fanOutOptions },
  });
  return { posts, raw, delivery, pacedRow, fanOut, broadcast };
}

/** Long enough for everybody who polls to have asked again. */
function pauseMs(receivers: number): number {
  return 2 + receivers * 0.2;
}
