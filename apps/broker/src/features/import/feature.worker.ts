/**
 * The import tasks that run on worker threads. This file imports nothing that loads the database
 * code.
 */

export { verifyBundleTask } from "./verify-bundle-file.js";
