import { answerParent } from "./child.js";
import { type DeliveryQuestion, measureDelivery } from "./load-delivery.js";
import { type FanOutQuestion, measureFanOut } from "./load-fan-out.js";
import { createHolder, type HoldQuestion } from "./load-idle.js";
import { measurePaced, type PacedQuestion } from "./load-paced.js";
import { measurePosts, type PostsQuestion } from "./load-posts.js";

export type LoadQuestion =
  | { posts: PostsQuestion }
  | { paced: PacedQuestion }
  | { delivery: DeliveryQuestion }
  | { fanOut: FanOutQuestion }
  | { hold: HoldQuestion }
  /** Closes all idle connections. */
  | { release: true }
  | { descriptors: true };

const holder = createHolder();

/** The load generators, in a separate process. */
answerParent(async (question: LoadQuestion) => {
  if ("posts" in question) return measurePosts(question.posts);
  if ("paced" in question) return measurePaced(question.paced);
  if ("delivery" in question) return measureDelivery(question.delivery);
  if ("fanOut" in question) return measureFanOut(question.fanOut);
  if ("hold" in question) return holder.hold(question.hold);
  if ("release" in question) return holder.release();
  return { descriptors: readDescriptorsMax() };
});

/** Returns how many files and sockets this process may open. Node has already raised the limit to the maximum. */
function readDescriptorsMax(): number | null {
  // Node's types omit the fields of the report. The field `open_files` is documented, but missing on Windows.
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const max = Number(report.userLimits?.open_files?.soft);
  return Number.isFinite(max) ? max : null;
}
