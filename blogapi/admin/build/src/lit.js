// Lit, and the directives of Lit that the pages use.
export { html, LitElement, nothing, render } from "lit";
export { live } from "lit/directives/live.js";
export { ref } from "lit/directives/ref.js";
export { repeat } from "lit/directives/repeat.js";
