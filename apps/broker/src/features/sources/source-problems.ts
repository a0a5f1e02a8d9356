/**
 * Thrown if a root's files cannot be used at the moment. The message is for the person who configured the
 * root.
 */
export class RootProblem extends Error {
  override readonly name = "RootProblem";
}

/** Thrown if a source file does not exist or is unsuitable, for example because it is not text. */
export class NoSource extends Error {
  override readonly name = "NoSource";
}

/** Thrown if the text to replace has changed, or if another process is using the repository. */
export class NotCurrent extends Error {
  override readonly name = "NotCurrent";
}
