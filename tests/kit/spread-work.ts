import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Short files that take long to run. */
const longDespiteTheirSize = [
  "/tests/faults/",
  "/tests/conformance/",
  "/tests/jobs/kills",
  "/tests/record/tamper",
  "/tests/invites/",
  "/tests/anchors/",
];
const browsers = "/tests/dashboard/";
/** Number of other files between two that draw pages: as many as the other workers run at the same time. */
const between = 3;

/**
 * Sorts the largest files first, so that none of them remains for the end. Files that draw pages need a
 * processor each, so they are spread among files that mostly wait.
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
