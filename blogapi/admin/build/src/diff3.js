// The regions in which two texts differ from the text before both.
export { diff3MergeRegions, diffIndices } from "node-diff3";
