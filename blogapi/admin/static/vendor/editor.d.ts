export * from "../../build/src/editor.js";
