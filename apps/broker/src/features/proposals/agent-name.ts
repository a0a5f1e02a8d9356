/** The author name used for a job's agent, which is neither a team nor a person. */
export const agentName = "agent";
