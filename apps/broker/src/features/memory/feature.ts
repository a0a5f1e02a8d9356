import { countMemories } from "@merkle/db";
import type { Feature } from "../../feature.js";
import { forget, remember, restoreMemory, tagMemory } from "./change-memory.js";
import { listMemory, recall } from "./recall.js";
import { rememberConclusion } from "./remember-conclusion.js";

/** Stores lasting knowledge for a mesh. */
export const memoryFeature = {
  name: "memory",
  needs: [],
  handlers: {
    remember,
    recall,
    forget,
    restore_memory: restoreMemory,
    list_memory: listMemory,
    tag_memory: tagMemory,
  },
  onCreateSession: rememberConclusion,
  sessionFacts: {
    memories: ({ database }, sessionId) => countMemories(database.orm, database.meshId, sessionId),
  },
} satisfies Feature;
