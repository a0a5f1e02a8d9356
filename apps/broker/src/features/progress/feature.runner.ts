/** What a runner on another machine needs, without the broker. */

export { describeSummaries } from "./describe-summaries.js";
