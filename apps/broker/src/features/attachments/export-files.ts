import { listRecordedFiles } from "@merkle/db";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import type { ExportHook } from "../../views/hooks.js";
import { createChunkReader, readRange } from "./stored-bytes.js";

const pageFiles = 100;

/** Lists the files of a record for its bundle (ATTACH-14). */
export const exportFiles: ExportHook = {
  async *listFiles({ orm }, record) {
    for (let after = ""; ; ) {
      const page = { ...record, after, limit: pageFiles };
      const files = await retryWhileLost(() => listRecordedFiles(orm, page));
      for (const { digest, size, ...file } of files)
        yield { digest, bytes: readRange(createChunkReader(orm, file), 0, size) };
      const last = files.at(-1);
      if (!last) return;
      after = last.digest;
    }
  },
};
