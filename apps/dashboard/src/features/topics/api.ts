/** What other features use of topics. */
export { OpenTopics } from "./open-topics";
