import { answerParent } from "./child.js";
import { type DeliveryQuestion, measureDelivery } from "./load-delivery.js";
import { type FanOutQuestion, measureFanOut } from "./load-fan-out.js";
import { measurePosts, type PostsQuestion } from "./load-posts.js";

export type LoadQuestion =
  | { posts: PostsQuestion }
  | { delivery: DeliveryQuestion }
  | { fanOut: FanOutQuestion };

/** The callers, in a process of their own. */
answerParent(async (question: LoadQuestion) => {
  if ("posts" in question) return measurePosts(question.posts);
  if ("delivery" in question) return measureDelivery(question.delivery);
  return measureFanOut(question.fanOut);
});
