export * from "../../build/src/diff3.js";
