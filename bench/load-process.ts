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
  /** Ends whatever is held. */
  | { release: true }
  | { descriptors: true };

const holder = createHolder();

/** The callers, in a process of their own. */
answerParent(async (question: LoadQuestion) => {
  if ("posts" in question) return measurePosts(question.posts);
  if ("paced" in question) return measurePaced(question.paced);
  if ("delivery" in question) return measureDelivery(question.delivery);
  if ("fanOut" in question) return measureFanOut(question.fanOut);
  if ("hold" in question) return holder.hold(question.hold);
  if ("release" in question) return holder.release();
  return { descriptors: readDescriptorsMax() };
});

/** How many files and sockets this process may have open; Node has raised it as far as it may. */
function readDescriptorsMax(): number | null {
  // Typed as an object without fields; Node documents this one, which Windows has not.
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const max = Number(report.userLimits?.open_files?.soft);
  return Number.isFinite(max) ? max : null;
}
