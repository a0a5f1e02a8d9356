import { spawn } from "node:child_process";
import { isPosix } from "../files/platform.js";

/** The unprivileged user that runs programs if this process is root. */
export interface ServerUser {
  uid: number;
  gid: number;
  name: string;
}

export interface ProgramResult {
  /** Exit code. Null if a signal ended the program, or if the program could not be started. */
  code: number | null;
  /** Standard output and standard error interleaved, limited to the last 64 KiB. */
  output: string;
  /** System error code if the program could not be started: ENOENT, EACCES, EPERM, … */
  refused: string | undefined;
}

/**
 * Runs a program and resolves when it has exited. Never rejects: callers inspect the returned exit code or
 * error code.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { user?: ServerUser | undefined; cwd?: string } = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    let output = "";
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString("utf8")).slice(-65_536);
    };
    const refuse = (error: unknown) => {
      const code = error instanceof Error && "code" in error ? String(error.code) : "UNKNOWN";
      resolve({ code: null, output: String(error), refused: code });
    };
    try {
      const child = spawn(program, args, {
        // The server's user may have no access to this process's working directory.
        cwd: options.cwd ?? (isPosix() ? "/" : undefined),
        env: createProgramEnvironment(),
        stdio: ["ignore", "pipe", "pipe"],
        windowsHide: true,
        ...toSpawnIdentity(options.user),
      });
      child.stdout.on("data", collect);
      child.stderr.on("data", collect);
      child.on("error", refuse);
      child.on("close", (code) => resolve({ code, output, refused: undefined }));
    } catch (error) {
      refuse(error);
    }
  });
}

const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Returns the spawn options for running a program as `user`. */
export function toSpawnIdentity(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

/**
 * Returns the environment for the programs that this package starts. It leaves out most variables of this
 * process: PG* variables would change the server's behaviour, and keys would be exposed in a long-lived
 * process. Messages stay untranslated because they are parsed.
 */
export function createProgramEnvironment(): NodeJS.ProcessEnv {
  if (!isPosix()) {
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PG/i.test(name)));
  }
  const { PATH, LD_LIBRARY_PATH, TMPDIR } = process.env;
  return {
    // After `su` without a login shell, root's PATH lacks the folders that contain useradd.
    PATH: PATH === undefined ? systemPath : `${PATH}:/usr/sbin:/sbin`,
    LC_ALL: "C",
    TZ: "UTC",
    ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
  };
}
