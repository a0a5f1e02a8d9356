import { spawn } from "node:child_process";
import { isPosix } from "../files/platform.js";

/** The unprivileged user that a program is run as when we are root. */
export interface ServerUser {
  uid: number;
  gid: number;
  name: string;
}

export interface ProgramResult {
  /** The exit code; null when a signal ended it or it could not be started. */
  code: number | null;
  /** Standard output and standard error, as they came, the last 64 KiB. */
  output: string;
  /** Why it could not be started at all: ENOENT, EACCES, EPERM, … */
  refused: string | undefined;
}

/** Runs a program to its end; never rejects, because how it failed is what the callers want to know. */
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
        // The server's user may not be allowed to stand in our working directory.
        cwd: options.cwd ?? (isPosix() ? "/" : undefined),
        env: programEnvironment(),
        stdio: ["ignore", "pipe", "pipe"],
        windowsHide: true,
        ...identity(options.user),
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

/** The spawn options that make a program run as `user`. */
export function identity(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

/**
 * The environment of every program started here. None of ours is passed on: PG* variables would change what the
 * server does, and keys would lie open in a long-lived process. Messages stay untranslated because we read them.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  if (!isPosix()) {
    return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^PG/i.test(name)));
  }
  const { PATH, LD_LIBRARY_PATH, TMPDIR } = process.env;
  return {
    // After `su` without a login shell root's PATH lacks the folders of useradd.
    PATH: PATH === undefined ? systemPath : `${PATH}:/usr/sbin:/sbin`,
    LC_ALL: "C",
    TZ: "UTC",
    ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
  };
}
