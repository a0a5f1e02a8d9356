import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of few lines that take long. */
const longDespiteTheirSize = [
  "/tests/faults/",
  "/tests/conformance/",
  "/tests/jobs/kills",
  "/tests/record/tamper",
  "/tests/invites/",
  "/tests/anchors/",
];
const browsers = "/tests/dashboard/";
/** Files between two that draw pages: as many as other workers run meanwhile. */
const between = 3;

/**
 * The largest files first, as ever, so that no long one is left over for the end; but those that draw pages, which need a
 * processor each, one at a time among those that mostly wait.
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
