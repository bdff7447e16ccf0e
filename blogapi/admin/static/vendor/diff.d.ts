export * from "../../build/src/diff.js";
