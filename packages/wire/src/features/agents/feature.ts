/** The agents of a mesh and their current activities. */
export type { Agent, AgentTalk, AgentWait } from "./operations.js";
export { rules } from "./rules.js";
