/** An object storage that speaks S3's protocol and checks signatures, as a process of its own: folder and port from the arguments. */
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
