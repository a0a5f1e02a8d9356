/**
 * Runs an S3-compatible object store that checks signatures, as a separate process. Its arguments are a folder and a
 * port.
 */
import S3rver from "@20minutes/s3rver";

const [, , directory, port] = process.argv;
const server = new S3rver({
  directory,
  port: Number(port),
  address: "127.0.0.1",
  silent: true,
  vhostBuckets: false,
  configureBuckets: [{ name: "merkle" }],
});
const { port: listening } = await server.run();
process.stdout.write(`${listening}\n`);
