import { getTableColumns } from "drizzle-orm";
import { tasks } from "../../core/schema.js";

const { words: _words, ...columns } = getTableColumns(tasks);

/** The columns of a task, without the words that only searches read. */
export const taskColumns = columns;

export type StoredTask = Omit<typeof tasks.$inferSelect, "words">;
