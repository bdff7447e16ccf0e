import { LitElement as Element } from "../../build/src/lit.js";
export * from "../../build/src/lit.js";
export type { TemplateResult } from "../../build/node_modules/lit";

/** The fields of a page are those that it sets. */
export class LitElement extends Element {
  [field: string]: any;
}
