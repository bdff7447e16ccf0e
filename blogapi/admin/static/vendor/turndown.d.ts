export * from "../../build/src/turndown.js";
