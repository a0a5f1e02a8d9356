/** What a model is told once when the database behind its session was restored (STDIO-12). */
export const resyncNotice =
  "resync: the database was restored. Numbers of messages and versions from before mean nothing now; read the history and the document again.";
