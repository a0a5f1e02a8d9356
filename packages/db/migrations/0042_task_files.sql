-- The files that a task's holder claims with the task (TASK-14), as claims store them. Tasks from before have none.
ALTER TABLE tasks ADD COLUMN files text[] NOT NULL DEFAULT '{}';
