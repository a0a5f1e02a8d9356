/** The parts of topics that other features use. */
export { OpenTopics } from "./open-topics";
