import type { Part } from "./part.js";
import { anchors } from "./parts/anchors.js";
import { brief } from "./parts/brief.js";
import { context } from "./parts/context.js";
import { delivery } from "./parts/delivery.js";
import { fanOut } from "./parts/fan-out.js";
import { flat } from "./parts/flat.js";
import { idle } from "./parts/idle.js";
import { jobs } from "./parts/jobs.js";
import { nodes } from "./parts/nodes.js";
import { peers } from "./parts/peers.js";
import { posts } from "./parts/posts.js";
import { stalls } from "./parts/stalls.js";
import { start } from "./parts/start.js";
import { tasks } from "./parts/tasks.js";
import { toolList } from "./parts/tool-list.js";
import { verbCosts } from "./parts/verb-costs.js";
import { verbs } from "./parts/verbs.js";

/** The parts that are measured by default, in the order of the report. */
export const parts: readonly Part[] = [
  posts,
  peers,
  flat,
  delivery,
  fanOut,
  idle,
  start,
  toolList,
  context,
  verbs,
  verbCosts,
  tasks,
  brief,
  jobs,
  anchors,
  nodes,
];

/** Parts that take a long time, so they run only on request. */
export const longParts: readonly Part[] = [stalls];
