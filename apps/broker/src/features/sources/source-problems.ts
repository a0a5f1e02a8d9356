/** Why files of a root cannot be worked on at the moment: a sentence for whoever configured it. */
export class RootProblem extends Error {
  override readonly name = "RootProblem";
}

/** Why a file cannot be worked on: there is none, or it is none that can be. */
export class NoSource extends Error {
  override readonly name = "NoSource";
}

/** The text that this would have been written over is another one by now, or the repository is in use. */
export class NotCurrent extends Error {
  override readonly name = "NotCurrent";
}
