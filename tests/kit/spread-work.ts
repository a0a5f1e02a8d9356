import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Short test files that take a long time to run. */
const longDespiteTheirSize = [
  "/tests/faults/",
  "/tests/conformance/",
  "/tests/jobs/kills",
  "/tests/record/tamper",
  "/tests/invites/",
  "/tests/anchors/",
];
const browsers = "/tests/dashboard/";
/** Number of other files between two files that use a browser: one for each of the other workers. */
const between = 3;

/**
 * Sorts the largest files first, so that no large file is left for the end. Files that use a browser need a processor
 * each, so they are spread among files that mostly wait.
 */
export class SpreadWork extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) =>
      longDespiteTheirSize.some((folder) => moduleId.includes(folder));
    const drawing = sorted.filter(({ moduleId }) => moduleId.includes(browsers));
    const others = sorted.filter(({ moduleId }) => !moduleId.includes(browsers));
    const rest = [...others.filter(isLong), ...others.filter((file) => !isLong(file))];
    const spread = drawing.flatMap((file) => [file, ...rest.splice(0, between)]);
    return [...spread, ...rest];
  }
}
