/** Entry point for runners on other machines. It does not load the broker. */

export { describeSummaries } from "./describe-summaries.js";
