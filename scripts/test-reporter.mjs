/**
 * The vitest reporter of `npm test`. Shows each failure immediately and again at the end. On a terminal, a line of counts stays
 * at the bottom. Sends the counts to the parent process.
 */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { announce, clearLine, elapsed, root } from "./steps.mjs";

/** Without a terminal, the counts are printed each time this many more files are done. */
const filesBetween = 50;

export default class TestReporter {
  #vitest;
  #files = { done: 0, all: 0 };
  #passed = 0;
  #failures = [];

  onInit(vitest) {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications) {
    this.#files.all = specifications.length;
    const { all } = this.#files;
    announce(`running the tests of ${all} ${all === 1 ? "file" : "files"}`);
  }

  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (state === "passed") this.#passed += 1;
    if (state === "failed") this.#fail(`${pathOf(test.module)} > ${test.fullName}`, errors);
    this.#showCounts();
  }

  onTestSuiteResult(suite) {
    const errors = suite.errors();
    if (errors.length > 0) this.#fail(`${pathOf(suite.module)} > ${suite.fullName}`, errors);
  }

  onTestModuleEnd(module) {
    this.#files.done += 1;
    const errors = module.errors();
    if (errors.length > 0) this.#fail(pathOf(module), errors);
    this.#showCounts();
    if (!process.stderr.isTTY && this.#files.done % filesBetween === 0)
      write(`${elapsed()}  ${this.#counts()}\n`);
  }

  onUserConsoleLog({ content }) {
    write(content);
  }

  onTestRunEnd(modules, errors) {
    for (const error of errors) this.#fail("outside of every test", [error]);
    if (this.#failures.length > 0) write(`\nFailed:\n\n${this.#failures.join("")}`);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const leftOut = tests
      .filter((test) => test.result().state === "skipped")
      .map((test) => this.#whyLeftOut(test));
    process.send?.({ passed: this.#passed, failed: this.#failures.length, leftOut });
  }

  #fail(what, errors = []) {
    const failure = `FAILED  ${what}\n${errors.map(describeError).join("")}\n`;
    this.#failures.push(failure);
    write(`${elapsed()}  ${failure}`);
  }

  #showCounts() {
    if (process.stderr.isTTY) write(`${elapsed()}  ${this.#counts()}`);
  }

  #counts() {
    const { done, all } = this.#files;
    return `${done} of ${all} files done, ${this.#passed} tests passed, ${this.#failures.length} failed`;
  }

  /** Returns why a test was left out: the test's own note, or the description of its first tag that is excluded here. */
  #whyLeftOut(test) {
    const { tags, tagsFilter = [], testNamePattern } = this.#vitest.config;
    const { note } = test.result();
    if (note) return note;
    const isUnmet = ({ name, skip }) => test.tags.includes(name) && (skip || tagsFilter.includes(`!${name}`));
    const unmet = tags.find(isUnmet);
    if (unmet) return unmet.description;
    if (testNamePattern) return "with other names";
    return tagsFilter.length > 0 ? "with other tags" : `for reasons in ${pathOf(test.module)}`;
  }
}

function pathOf(module) {
  return relative(root, module.moduleId);
}

/** Formats an error: its message, the difference between expected and received, and the lines of our code in its stack. */
function describeError({ name, message, diff, stacks = [], stack = "" }) {
  const frames = stacks.map(({ file, line, column }) => `at ${relative(root, file)}:${line}:${column}`);
  const calls =
    frames.length > 0
      ? frames
      : stack
          .split("\n")
          .slice(1, 4)
          .map((line) => line.trim());
  return indent([`${name ?? "Error"}: ${message}`, diff, ...calls.slice(0, 4)].filter(Boolean).join("\n"));
}

function indent(text) {
  return text.replace(/^/gm, "    ").concat("\n");
}

/** Writes to stderr, without colours if it is a file. */
function write(text) {
  process.stderr.write(`${clearLine}${process.stderr.isTTY ? text : stripVTControlCharacters(text)}`);
}
