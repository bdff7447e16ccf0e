export { default as TurndownService } from "turndown";
export { gfm } from "turndown-plugin-gfm";
